import { tenThousandths } from '../numbers/round4';

const MOST_NAMED = 3;
/** Ten-thousandths: what adds less than 0.01 is not worth a name. */
const SMALLEST_NAMED = 100;

/**
 * Names what raises a risk: the largest terms first, ties in the order of `codes`, at most three.
 * @param terms additive parts of the risk, one per code, any sign
 */
export function strongestDrivers<Code>(codes: readonly Code[], terms: readonly number[]): Code[] {
  const drivers: Code[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < codes.length; i++) {
    const size = tenThousandths(terms[i]!);
    if (size < SMALLEST_NAMED) continue;
    // Insertion in place: this runs once per item, and sorting objects would cost more than all other scores.
    let place = drivers.length;
    for (; place > 0 && sizes[place - 1]! < size; place--) {
      drivers[place] = drivers[place - 1]!;
      sizes[place] = sizes[place - 1]!;
    }
    drivers[place] = codes[i]!;
    sizes[place] = size;
  }
  return drivers.length > MOST_NAMED ? drivers.slice(0, MOST_NAMED) : drivers;
}

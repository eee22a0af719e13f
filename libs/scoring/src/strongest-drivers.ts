import { tenThousandths } from './numbers';

/** Ten-thousandths: what adds less than 0.01 is not worth a name. */
const SMALLEST_NAMED = 100;

/**
 * Names what raises a risk: the largest terms first, ties in the order of `codes`, at most three.
 * @param terms additive parts of the risk, one per code, any sign
 */
export function strongestDrivers<Code>(codes: readonly Code[], terms: readonly number[]): Code[] {
  // Three places without a sort: this runs once per item, and sorting would cost more than all other scores.
  let first = -1;
  let second = -1;
  let third = -1;
  let firstSize = SMALLEST_NAMED - 1;
  let secondSize = firstSize;
  let thirdSize = firstSize;
  for (let i = 0; i < codes.length; i++) {
    const size = tenThousandths(terms[i]!);
    if (size <= thirdSize) continue;
    third = i;
    thirdSize = size;
    if (size <= secondSize) continue;
    third = second;
    thirdSize = secondSize;
    second = i;
    secondSize = size;
    if (size <= firstSize) continue;
    second = first;
    secondSize = firstSize;
    first = i;
    firstSize = size;
  }
  if (third >= 0) return [codes[first]!, codes[second]!, codes[third]!];
  if (second >= 0) return [codes[first]!, codes[second]!];
  return first >= 0 ? [codes[first]!] : [];
}

import type { Forecasts } from '../walking/forecasts';
import { FEWEST_BLOCKS } from './bootstrap';

/** Forecasts that are drawn together. */
export interface Block {
  readonly of: Forecasts;
  /** Their places in its lists, rising. */
  readonly places: readonly number[];
}

/** What is drawn as one: a whole habit or task where there are enough of them, else a stretch of it. */
export type BlockUnit = { readonly whole: true } | { readonly whole: false; readonly length: number };

const STRETCH = 28;
const MOST_STRETCHES = 1_000;

/** @param all with their forecasts; stretches are 28 days or runs, longer where there would be very many */
export function blockUnitOf(all: readonly Forecasts[]): BlockUnit {
  const used = all.filter(({ came }) => came.length > 0);
  if (used.length >= FEWEST_BLOCKS) return { whole: true };
  const steps = used.reduce((sum, { known }) => sum + known.at(-1)! - known[0]! + 1, 0);
  return { whole: false, length: Math.max(STRETCH, Math.ceil(steps / MOST_STRETCHES)) };
}

/** Blocks of the forecasts that belong; those without any are left out. */
export function blocksOf(
  all: readonly Forecasts[],
  unit: BlockUnit,
  belongs: (of: Forecasts, place: number) => boolean = () => true,
): Block[] {
  return all.flatMap((of) => {
    const places = new Map<number, number[]>();
    for (let place = 0; place < of.came.length; place++) {
      if (!belongs(of, place)) continue;
      const stretch = unit.whole ? 0 : Math.floor(of.known[place]! / unit.length);
      const block = places.get(stretch);
      if (block) block.push(place);
      else places.set(stretch, [place]);
    }
    return [...places.values()].map((block) => ({ of, places: block }));
  });
}

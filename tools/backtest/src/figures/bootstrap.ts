import { Random } from '@evenkeel/kernel/random';
import type { Forecasts } from '../forecasts/forecasts';

/** A figure with its 95 % interval; null where no interval can be had. */
export interface Measure {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export const DRAWS = 500;
/** With fewer blocks an interval would pretend to a knowledge that is not there. */
export const FEWEST_BLOCKS = 8;
/** Draws in which a figure exists; where it often does not, neither does its interval. */
const FEWEST_DRAWS = 0.95 * DRAWS;

/**
 * Percentile bootstrap over whole blocks, because forecasts of one block resemble each other.
 * @param statistics figures by name for a weight per block, always the same ones; NaN where one does not exist
 * @see Efron and Tibshirani (1993), An Introduction to the Bootstrap, sections 8.6 and 13.3
 */
export function bootstrap(
  blocks: number,
  seed: number,
  statistics: (weights: Float64Array) => Map<string, number>,
): Map<string, Measure> {
  const weights = new Float64Array(blocks).fill(1);
  const values = statistics(weights);
  const drawn = new Map([...values.keys()].map((name) => [name, [] as number[]]));
  const random = new Random(seed);
  for (let draw = 0; draw < DRAWS && blocks >= FEWEST_BLOCKS; draw++) {
    weights.fill(0);
    for (let i = 0; i < blocks; i++) weights[random.below(blocks)]!++;
    for (const [name, value] of statistics(weights)) if (!Number.isNaN(value)) drawn.get(name)!.push(value);
  }
  return new Map([...values].map(([name, value]) => [name, { value, ...interval(drawn.get(name)!) }]));
}

function interval(drawn: number[]): { low: number | null; high: number | null } {
  if (drawn.length < FEWEST_DRAWS) return { low: null, high: null };
  drawn.sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.round(share * (drawn.length - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}

/** Forecasts that are drawn together. */
export interface Block {
  readonly of: Forecasts;
  /** Their places in its lists, rising. */
  readonly places: readonly number[];
}

/** The unit of a draw: a whole habit or task where there are enough of them, else a stretch of it. */
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

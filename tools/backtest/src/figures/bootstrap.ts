import { Random } from './random';

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
 * @param statistics figures for a weight per block; NaN where one does not exist
 * @see Efron and Tibshirani (1993), An Introduction to the Bootstrap, sections 8.6 and 13.3
 */
export function bootstrap(blocks: number, seed: number, statistics: (weights: Float64Array) => number[]): Measure[] {
  const values = statistics(new Float64Array(blocks).fill(1));
  if (blocks < FEWEST_BLOCKS) return values.map((value) => ({ value, low: null, high: null }));
  const random = new Random(seed);
  const weights = new Float64Array(blocks);
  const drawn = values.map((): number[] => []);
  for (let draw = 0; draw < DRAWS; draw++) {
    weights.fill(0);
    for (let i = 0; i < blocks; i++) weights[random.below(blocks)]!++;
    statistics(weights).forEach((value, which) => Number.isNaN(value) || drawn[which]!.push(value));
  }
  return values.map((value, which) => ({ value, ...interval(drawn[which]!) }));
}

function interval(drawn: number[]): { low: number | null; high: number | null } {
  if (drawn.length < FEWEST_DRAWS) return { low: null, high: null };
  drawn.sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.round(share * (drawn.length - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}

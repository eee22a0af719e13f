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

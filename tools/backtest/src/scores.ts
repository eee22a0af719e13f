import { Random } from '@evenkeel/kernel/random';
import type { Forecast, Forecaster } from './forecasts';

/** Forecasts have four decimals, so there are so many different ones. */
const VALUES = 10_001;
const TENTHS = 10;

/** All figures of the forecasts of one forecaster; NaN where there are none to make them of. */
export interface Scores {
  /** How often the event came, 0 to 1. */
  observed: number;
  /** Mean forecast, 0 to 1. */
  mean: number;
  /**
   * Mean squared difference of forecast and outcome; 0 is perfect, 0.25 what always saying 0.5 gets.
   * @see Brier (1950), Monthly Weather Review 78(1), 1-3
   */
  brier: number;
  /**
   * Share of pairs of an event and another in which the event had the higher forecast, ties half; 0.5 for forecasts that
   * know nothing.
   * @see Hanley and McNeil (1982), Radiology 143(1), 29-36: the area under the ROC curve as a rank statistic
   */
  auc: number;
  /** The same of the forecasts in each tenth of the scale. */
  tenths: { count: number; mean: number; observed: number }[];
}

/**
 * Scores blocks of forecasts, of which each may be taken several times or not at all.
 * @returns the scores by how often each block is taken
 */
export function scorer(blocks: readonly (readonly Forecast[])[], who: Forecaster) {
  // Of each value how many forecasts without the event have it, and then how many with it.
  const counted = blocks.map((forecasts) => {
    const counts = new Map<number, number>();
    for (const forecast of forecasts) {
      const cell = 2 * Math.round(forecast[who] * (VALUES - 1)) + forecast.came;
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
    }
    return { cells: Uint16Array.from(counts.keys()), counts: Uint32Array.from(counts.values()) };
  });
  const sums = new Float64Array(2 * VALUES);
  return (weights: ArrayLike<number>): Scores => {
    sums.fill(0);
    counted.forEach(({ cells, counts }, block) => {
      const weight = weights[block]!;
      if (weight === 0) return;
      for (let at = 0; at < cells.length; at++) sums[cells[at]!]! += weight * counts[at]!;
    });
    return scoresOf(sums);
  };
}

function scoresOf(sums: Float64Array): Scores {
  const tenths = Array.from({ length: TENTHS }, () => ({ count: 0, given: 0, came: 0 }));
  let [squares, won, below] = [0, 0, 0];
  for (let value = 0; value < VALUES; value++) {
    const not = sums[2 * value]!;
    const came = sums[2 * value + 1]!;
    if (came + not === 0) continue;
    const share = value / (VALUES - 1);
    const tenth = tenths[Math.min(TENTHS - 1, Math.floor((value * TENTHS) / (VALUES - 1)))]!;
    tenth.count += came + not;
    tenth.given += share * (came + not);
    tenth.came += came;
    squares += came * (1 - share) ** 2 + not * share ** 2;
    won += came * (below + not / 2);
    below += not;
  }
  const sum = (of: 'count' | 'given' | 'came') => tenths.reduce((all, tenth) => all + tenth[of], 0);
  const [count, given, came] = [sum('count'), sum('given'), sum('came')];
  return {
    observed: came / count,
    mean: given / count,
    brier: squares / count,
    auc: won / (came * below),
    tenths: tenths.map((own) => ({ count: own.count, mean: own.given / own.count, observed: own.came / own.count })),
  };
}

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
 * @param statistics figures for a weight per block, always as many; NaN where one does not exist
 * @see Efron and Tibshirani (1993), An Introduction to the Bootstrap, sections 8.6 and 13.3
 */
export function bootstrap(blocks: number, seed: number, statistics: (weights: Float64Array) => number[]): Measure[] {
  const weights = new Float64Array(blocks).fill(1);
  const values = statistics(weights);
  const drawn = values.map((): number[] => []);
  const random = new Random(seed);
  for (let draw = 0; draw < DRAWS && blocks >= FEWEST_BLOCKS; draw++) {
    weights.fill(0);
    for (let i = 0; i < blocks; i++) weights[random.below(blocks)]!++;
    statistics(weights).forEach((value, at) => void (Number.isNaN(value) || drawn[at]!.push(value)));
  }
  return values.map((value, at) => ({ value, ...interval(drawn[at]!) }));
}

function interval(drawn: number[]): { low: number | null; high: number | null } {
  if (drawn.length < FEWEST_DRAWS) return { low: null, high: null };
  drawn.sort((a, b) => a - b);
  const at = (share: number) => drawn[Math.round(share * (drawn.length - 1))]!;
  return { low: at(0.025), high: at(0.975) };
}

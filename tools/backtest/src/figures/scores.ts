import type { Forecaster } from '../forecasts/forecasts';
import type { Block } from './bootstrap';

/** Forecasts have four decimals, so there are so many different ones. */
const VALUES = 10_001;
export const TENTHS = 10;

/** All figures of the forecasts of one forecaster; NaN where there are none to make them of. */
export interface Scores {
  count: number;
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

/** Forecasts in blocks that may be taken several times or not at all. */
export class Scored {
  private readonly blocks: readonly { cells: Uint16Array; counts: Uint32Array }[];
  /** Of each value how many forecasts without the event have it, and then how many with it. */
  private readonly sums = new Float64Array(2 * VALUES);

  constructor(blocks: readonly Block[], forecaster: Forecaster) {
    this.blocks = blocks.map(({ of, places }) => {
      const counts = new Map<number, number>();
      for (const place of places) {
        const cell = 2 * Math.round(of.given[forecaster][place]! * (VALUES - 1)) + of.came[place]!;
        counts.set(cell, (counts.get(cell) ?? 0) + 1);
      }
      return { cells: Uint16Array.from(counts.keys()), counts: Uint32Array.from(counts.values()) };
    });
  }

  /** @param weights how often each block is taken */
  scores(weights: ArrayLike<number>): Scores {
    const { sums } = this;
    sums.fill(0);
    this.blocks.forEach(({ cells, counts }, block) => {
      const weight = weights[block]!;
      if (weight === 0) return;
      for (let at = 0; at < cells.length; at++) sums[cells[at]!]! += weight * counts[at]!;
    });
    return scoresOf(sums);
  }
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
    count,
    observed: came / count,
    mean: given / count,
    brier: squares / count,
    auc: won / (came * below),
    tenths: tenths.map((tenth) => ({
      count: tenth.count,
      mean: tenth.given / tenth.count,
      observed: tenth.came / tenth.count,
    })),
  };
}

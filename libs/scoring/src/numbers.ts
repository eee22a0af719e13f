/** Legal JSON allows 1e308; above this the formulas would meet Infinity and NaN. */
const LARGEST_COUNT = 1e9;

/** The error of floating point at a limit or a tie: 0.7 + 0.2 + 0.1 is 0.9999999999999999 there. */
export const ROUNDING_ERROR = 1e-9;

export function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}

/** A count the formulas can work with: at most 1e9, never `-0`. */
export function cappedCount(count: number): number {
  return count > LARGEST_COUNT ? LARGEST_COUNT : count + 0;
}

/**
 * A current streak above the best is a stale best, not an error.
 * @param reported occasions or runs, 0 or more
 * @param current as `cappedCount` gives it
 */
export function bestStreak(reported: number, current: number): number {
  return Math.max(cappedCount(reported), current);
}

/**
 * A score as it is reported: four decimals, half up.
 * @param score finite, 0 or more, not `-0`
 */
export function roundScore(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}

/**
 * The same rounding for a number of any sign; never `-0`.
 * @param value finite, without unit
 */
export function round4(value: number): number {
  return roundScore(value) + 0;
}

/**
 * A rounded score as an integer, so that sums do not depend on the order of their terms.
 * @returns ten-thousandths
 */
export function tenThousandths(score: number): number {
  return Math.round(score * 1e4);
}

/**
 * Mean of rounded scores, on integers.
 * @param scores one or more
 * @returns four decimals
 */
export function meanScore(scores: readonly number[]): number {
  const sum = scores.reduce((total, score) => total + tenThousandths(score), 0);
  return Math.round(sum / scores.length) / 1e4 + 0;
}

/** A rounded score from 0 to 1 as whole per cents: `{x%}` of the texts. */
export function percent(score: number): number {
  return Math.round(100 * score);
}

/** `{x:1}` of the texts. */
export function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `{x:2}` of the texts. */
export function twoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

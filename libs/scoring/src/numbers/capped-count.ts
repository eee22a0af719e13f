/** Legal JSON allows 1e308; above this the formulas would meet Infinity and NaN. */
const LARGEST_COUNT = 1e9;

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

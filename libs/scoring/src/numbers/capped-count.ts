/** Legal JSON allows 1e308; above this the formulas would meet Infinity and NaN. */
const LARGEST_COUNT = 1e9;

/** A count the formulas can work with: at most 1e9, never `-0`. */
export function cappedCount(count: number): number {
  return count > LARGEST_COUNT ? LARGEST_COUNT : count + 0;
}

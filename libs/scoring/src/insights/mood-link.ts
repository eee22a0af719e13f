import type { ScoredHabit } from '../habits/scored-habit';
import { round4, tenThousandths } from '../numbers';

/** Words for a correlation. Never causal: even one person's own does not repeat from one half of a log to the other. */
export type LinkStrength = 'weak' | 'possible' | 'clear';
export type LinkDirection = 'positive' | 'negative';

/** @param r rounded, -1 to 1: possible from 0.3 in size, clear from 0.5 */
export function linkStrength(r: number): LinkStrength {
  const size = Math.abs(r);
  return size >= 0.5 ? 'clear' : size >= 0.3 ? 'possible' : 'weak';
}

export function linkDirection(r: number): LinkDirection {
  return r < 0 ? 'negative' : 'positive';
}

/** A link too weak is not spoken of. @param r rounded */
export function isWorthSaying(r: number | undefined): r is number {
  return r !== undefined && linkStrength(r) !== 'weak';
}

/** 5 % critical values of Pearson's r by number of habits; between two rows the row below counts. */
const CRITICAL: readonly (readonly [habits: number, r: number])[] = [
  [25, 0.396],
  [20, 0.444],
  [16, 0.497],
  [12, 0.576],
  [10, 0.632],
  [8, 0.707],
];

interface MoodAcrossHabits {
  /** Habits with a mood. */
  n: number;
  /** -1 to 1, four decimals. */
  coefficient: number;
}

/**
 * Pearson correlation of mood and completion over the habits with a mood, from integer sums.
 * @returns undefined with fewer than 8 of them, without variation, or below the 5 % critical value
 */
export function moodAcrossHabits(habits: readonly ScoredHabit[]): MoodAcrossHabits | undefined {
  let n = 0;
  let x = 0;
  let y = 0;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (const habit of habits) {
    if (habit.averageMood === undefined) continue;
    const rate = tenThousandths(habit.adherence);
    const mood = tenThousandths(habit.averageMood);
    n++;
    x += rate;
    y += mood;
    xx += rate * rate;
    yy += mood * mood;
    xy += rate * mood;
  }
  const critical = CRITICAL.find(([fewest]) => n >= fewest);
  const spread = (n * xx - x * x) * (n * yy - y * y);
  if (!critical || spread === 0) return undefined;
  const coefficient = round4((n * xy - x * y) / Math.sqrt(spread));
  return Math.abs(coefficient) >= critical[1] ? { n, coefficient } : undefined;
}

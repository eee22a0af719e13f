import type { ScoredHabit } from '../habits/scored-habit';
import { round4, tenThousandths } from '../numbers/round4';

/** 5 % critical values of Pearson's r by number of habits; between two rows the row below counts. */
const CRITICAL: readonly (readonly [habits: number, r: number])[] = [
  [25, 0.396],
  [20, 0.444],
  [16, 0.497],
  [12, 0.576],
  [10, 0.632],
  [8, 0.707],
];

export interface MoodAcrossHabits {
  /** Habits that carry a mood. */
  n: number;
  /** -1 to 1, four decimals. */
  coefficient: number;
}

/**
 * Pearson correlation of mood and completion over the habits that carry a mood, from integer sums.
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

import { round4 } from '../numbers/round4';
import type { HabitHistory } from './habit-history';
import { habitRecord, viewpointOf } from './habit-record';
import type { WeekStart } from './week';

/** The numbers shown beside a habit. */
export interface HabitStats {
  completionRate: number;
  currentStreak: number;
  bestStreak: number;
  streakUnit: 'day' | 'week';
  strength: number;
  skipBudgetRemaining: number;
}

/**
 * @param asOf evaluation day, local date
 * @returns completion of the last 90 days, streaks and strength of the whole history
 */
export function habitStats(habit: HabitHistory, asOf: string, weekStart?: WeekStart): HabitStats {
  const record = habitRecord(habit, viewpointOf({ asOf, weekStart }));
  return {
    completionRate: round4(record.completion.rate),
    currentStreak: record.streaks.current,
    bestStreak: record.streaks.best,
    streakUnit: record.schedule.unit,
    strength: round4(record.strength),
    skipBudgetRemaining: record.skipBudgetRemaining,
  };
}

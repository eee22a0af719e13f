import type { ScoredHabit } from './scored-habit';

export type HabitAction = 'restart' | 'shrink' | 'reschedule' | 'support_mood' | 'progress' | 'maintain' | 'start';

/** The one next step for a habit: the first rule that holds. */
export function nextBestAction(habit: ScoredHabit): HabitAction {
  if (habit.band === null) return 'start';
  if (brokenStreak(habit)) return 'restart';
  if (habit.lapseRisk >= 0.5) return 'shrink';
  if (habit.energyTrend === 'falling') return 'reschedule';
  if (lowMoodMatters(habit)) return 'support_mood';
  if (habit.adherence >= 0.85 && habit.currentStreak >= 7) return 'progress';
  return 'maintain';
}

/** A streak of a week or more that ended. */
export function brokenStreak(habit: ScoredHabit): boolean {
  return habit.currentStreak === 0 && habit.bestStreak >= 7;
}

function lowMoodMatters({ averageMood, moodCorrelation }: ScoredHabit): boolean {
  return averageMood !== undefined && averageMood < 5 && moodCorrelation !== undefined && moodCorrelation >= 0.3;
}

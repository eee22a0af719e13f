import type { HabitSummary } from '../habits/habit-summary';

/** The two habits of the published examples. */
export const morningRun: HabitSummary = {
  name: 'Morning run',
  completion_rate: 0.82,
  current_streak: 9,
  best_streak: 21,
  average_mood: 7.2,
  mood_correlation: 0.41,
  energy_trend: 'rising',
};

export const readTwentyMinutes: HabitSummary = {
  name: 'Read 20 minutes',
  completion_rate: 0.46,
  current_streak: 0,
  best_streak: 12,
  energy_trend: 'falling',
  risk_score: 0.7,
};

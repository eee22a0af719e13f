import type { EvidencedHabit } from './scored-habit';

export type HabitHighlight = 'strong_streak' | 'high_adherence';

/** What goes well, at most one thing per habit: the first that holds. */
export function highlightOf(habit: EvidencedHabit): HabitHighlight | undefined {
  if (habit.band !== 'low') return undefined;
  if (habit.momentum >= 0.6) return 'strong_streak';
  return habit.adherence >= 0.85 ? 'high_adherence' : undefined;
}

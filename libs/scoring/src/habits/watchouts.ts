import { brokenStreak } from './next-best-action';
import type { EvidencedHabit } from './scored-habit';

export type HabitWatchout = 'high_lapse_risk' | 'broken_streak' | 'falling_energy';

/** What needs attention: all that hold. */
export function watchoutsOf(habit: EvidencedHabit): HabitWatchout[] {
  const watchouts: HabitWatchout[] = [];
  if (habit.band === 'high') watchouts.push('high_lapse_risk');
  if (brokenStreak(habit)) watchouts.push('broken_streak');
  if (habit.energyTrend === 'falling' && habit.band !== 'low') watchouts.push('falling_energy');
  return watchouts;
}

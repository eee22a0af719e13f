import { DailyScores, type ScoreMember } from './daily-scores';
import type { HistoriesRequest } from './habit-history';
import type { HabitRecord, Viewpoint } from './habit-record';
import { readLogs } from './read-log';

/** A person's mean scores per day of the window, over all habits: a missed day rarely has a log of its own. */
export type PersonScores = Readonly<Record<'mood' | 'energy' | 'stress', DailyScores>>;

export function personScores(
  records: readonly HabitRecord[],
  otherHabits: HistoriesRequest['otherHabits'],
  { today, windowDays }: Viewpoint,
): PersonScores {
  const logsOfHabits = [...records.map(({ logs }) => logs), ...(otherHabits ?? []).map(readLogs)];
  const scores = (member: ScoreMember) => {
    const daily = new DailyScores(today - windowDays + 1, today);
    for (const logs of logsOfHabits) daily.add(logs, member);
    return daily;
  };
  return { mood: scores('moodScore'), energy: scores('energyScore'), stress: scores('stressScore') };
}

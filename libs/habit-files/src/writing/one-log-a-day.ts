import type { FileHabit, FileLog, HabitToWrite } from '../habit-file';
import { firstCharacters, LONGEST } from '../reading/texts';
import { dailyNames } from './names-in-files';
import { compare, orderedHabits } from './ordered-habits';

/** What a table of days can say of a habit: one log a day, and no start but the first of them. */
export interface DailyHabit extends Omit<FileHabit, 'logs' | 'start' | 'createdOn' | 'sourceId'> {
  readonly logs: readonly DailyLog[];
}

export type DailyLog = Pick<FileLog, 'localDate' | 'status' | 'completionRate' | 'note'>;

/**
 * Of several logs of a day the best one counts, as it does everywhere, with the notes of all. Habits have the names of
 * `dailyNames`. In the order of their first logs, then by name; those without logs last.
 * @param creditOf the log as the format can say it; undefined when it cannot
 */
export function dailyHabits(
  habits: readonly HabitToWrite[],
  creditOf: (log: DailyLog) => DailyLog | undefined,
): DailyHabit[] {
  const ordered = orderedHabits(habits);
  const names = dailyNames(ordered);
  return ordered
    .map((habit) => ({ ...habit, name: names.get(habit)!, logs: dailyLogs(habit.logs, creditOf) }))
    .sort(byFirstLog);
}

function dailyLogs(logs: readonly FileLog[], creditOf: (log: DailyLog) => DailyLog | undefined): DailyLog[] {
  const byDay = new Map<string, DailyLog[]>();
  for (const log of logs) {
    const said = creditOf(log);
    if (said === undefined) continue;
    const day = byDay.get(log.localDate);
    if (day) day.push(said);
    else byDay.set(log.localDate, [said]);
  }
  return [...byDay.values()].map((all) => {
    const [best] = [...all].sort((one, other) => rankOf(other) - rankOf(one));
    const notes = all.flatMap(({ note }) => note ?? []).join('\n');
    return { ...best!, note: notes === '' ? null : firstCharacters(notes, LONGEST.note) };
  });
}

/** A skipped day has no effect beside work, however little. */
function rankOf({ status, completionRate }: DailyLog): number {
  return status === 'SKIPPED' ? -1 : completionRate;
}

function byFirstLog(one: Pick<DailyHabit, 'name' | 'logs'>, other: Pick<DailyHabit, 'name' | 'logs'>): number {
  const first = ({ logs }: Pick<DailyHabit, 'logs'>) => logs[0]?.localDate ?? '\uffff';
  return compare(first(one), first(other)) || compare(one.name, other.name);
}

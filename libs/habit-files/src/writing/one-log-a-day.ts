import type { FileHabit, FileLog, HabitToWrite } from '../habit-file';
import { firstCharacters, LONGEST } from '../reading/texts';
import { compare, orderedHabits } from './ordered-habits';

/** What a table of days can say of a habit: one log a day, and no start but the first of them. */
export interface DailyHabit extends Omit<FileHabit, 'logs' | 'start' | 'sourceId'> {
  readonly logs: readonly DailyLog[];
}

export type DailyLog = Pick<FileLog, 'localDate' | 'status' | 'completionRate' | 'note'>;

/**
 * Of several logs of a day the best one counts, as it does everywhere, with the notes of all. Habits of one name become
 * `Run` and `Run (2)`. In the order of their first logs, then by name; those without logs last.
 * @param creditOf the log as the format can say it; undefined when it cannot
 */
export function dailyHabits(
  habits: readonly HabitToWrite[],
  creditOf: (log: DailyLog) => DailyLog | undefined,
): DailyHabit[] {
  const daily = orderedHabits(habits).map(({ logs, ...habit }) => ({ ...habit, logs: dailyLogs(logs, creditOf) }));
  const inOrder = daily.sort(byFirstLog);
  const names = new Set(inOrder.map(({ name }) => name));
  const met = new Set<string>();
  return inOrder
    .map((habit) => {
      const name = met.has(habit.name) ? freeName(habit.name, names) : habit.name;
      met.add(name);
      return { ...habit, name };
    })
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

function freeName(name: string, taken: Set<string>): string {
  for (let number = 2; ; number++) {
    const end = ` (${number})`;
    const free = `${firstCharacters(name, LONGEST.name - end.length).trimEnd()}${end}`;
    if (!taken.has(free)) return taken.add(free) && free;
  }
}

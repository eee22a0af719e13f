import type { FileHabit, FileLog, HabitInFile } from '../habit-file';
import { firstCharacters, LONGEST } from '../reading/texts';

/** The facts of a habit that a table of days can hold: no start but the first of its logs. */
export type DailyFacts = Omit<FileHabit, 'logs' | 'start' | 'createdOn' | 'sourceId'>;

export type DailyLog = Pick<FileLog, 'localDate' | 'status' | 'completionRate' | 'note'>;

/** The habit as a table of days has it: under the name that no other habit of the file has. */
export function dailyFacts({ dailyName, logs: _, start: _start, createdOn: _on, ...habit }: HabitInFile): DailyFacts {
  const { description, category, cadence, targetPerWeek, targetDaysMask, archived } = habit;
  const { question, interval, order, color } = habit;
  const schedule = { cadence, targetPerWeek, targetDaysMask };
  return { name: dailyName, description, category, ...schedule, archived, question, interval, order, color };
}

/**
 * Of several logs of a day the best one, as it is everywhere, with the notes of all.
 * @param creditOf the log as the format can say it; undefined when it cannot
 */
export async function* dailyLogs(
  pages: AsyncIterable<readonly FileLog[]>,
  creditOf: (log: DailyLog) => DailyLog | undefined,
): AsyncGenerator<DailyLog[]> {
  let ofDay: DailyLog[] = [];
  for await (const page of pages) {
    const days: DailyLog[] = [];
    for (const log of page) {
      const said = creditOf(log);
      if (said === undefined) continue;
      if (ofDay.length > 0 && ofDay[0]!.localDate !== said.localDate) {
        days.push(bestOf(ofDay));
        ofDay = [];
      }
      ofDay.push(said);
    }
    if (days.length > 0) yield days;
  }
  if (ofDay.length > 0) yield [bestOf(ofDay)];
}

function bestOf(all: readonly DailyLog[]): DailyLog {
  const [best] = [...all].sort((one, other) => rankOf(other) - rankOf(one));
  const notes = all.flatMap(({ note }) => note ?? []).join('\n');
  return { ...best!, note: notes === '' ? null : firstCharacters(notes, LONGEST.note) };
}

/** A skipped day has no effect beside work, however little. */
function rankOf({ status, completionRate }: DailyLog): number {
  return status === 'SKIPPED' ? -1 : completionRate;
}

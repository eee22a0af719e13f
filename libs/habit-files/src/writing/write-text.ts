import type { FileHabit, FileLog, HabitInFile, Schedule } from '../habit-file';
import { guardedCell } from '../reading/csv-table';
import { OWN_FORMAT, OWN_VERSION } from '../reading/own-json';
import { intervalOf } from '../reading/schedules';
import { firstCharacters, LONGEST } from '../reading/texts';

/** A habit as a table of days has it: its start is that of its first log. */
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

/** Smaller ones would be written with an exponent. */
const LEAST_SHARE = 1e-6;

/**
 * `habit,date,value,note`: what was done on which day, and no more. Schedules, habits without logs and logs of nothing
 * done have no place in it.
 * @see RFC 4180
 */
export async function* writtenCsv(habits: Iterable<HabitInFile>): AsyncGenerator<string> {
  yield 'habit,date,value,note\r\n';
  for (const { dailyName, logs } of habits) {
    for await (const days of dailyLogs(logs, shareOf)) {
      const rows = days.map((log) => [dailyName, log.localDate, valueOf(log), log.note ?? ''].map(cellOf).join());
      yield `${rows.join('\r\n')}\r\n`;
    }
  }
}

/** The log as far as this format can say it. */
export function shareOf({ localDate, status, completionRate, note }: DailyLog): DailyLog | undefined {
  if (status === 'SKIPPED') return { localDate, status, completionRate: 0, note };
  if (completionRate < LEAST_SHARE) return undefined;
  return { localDate, status: completionRate === 1 ? 'COMPLETED' : 'PARTIAL', completionRate, note };
}

function valueOf({ status, completionRate }: DailyLog): string {
  if (status === 'SKIPPED') return 'skip';
  return status === 'COMPLETED' ? 'yes' : String(completionRate);
}

function cellOf(text: string): string {
  const cell = guardedCell(text);
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** All of the habits and their logs, a line each. What is absent, or as it is read when absent, is left out of a log. */
export async function* writtenJson(habits: Iterable<HabitInFile>): AsyncGenerator<string> {
  yield `{"format":${JSON.stringify(OWN_FORMAT)},"version":${OWN_VERSION},"habits":[`;
  let before = '\n';
  for (const habit of habits) {
    yield `${before}${opening(habit)},"logs":[`;
    let beforeLogs = '\n';
    for await (const logs of habit.logs) {
      if (logs.length === 0) continue;
      yield beforeLogs + logs.map((log) => JSON.stringify(logMembers(log, habit.sourceId))).join(',\n');
      beforeLogs = ',\n';
    }
    yield beforeLogs === '\n' ? ']}' : '\n]}';
    before = ',\n';
  }
  yield before === '\n' ? ']}\n' : '\n]}\n';
}

/** All of a habit but its logs, and not closed. */
function opening({ sourceId, start, createdOn, ...habit }: HabitInFile): string {
  const { name, description, category, cadence, targetPerWeek, targetDaysMask, archived } = habit;
  const members = { sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask };
  const begins = createdOn === null ? { startDate: start } : { startDate: null, createdOn };
  const carried = { ...stated(habit, ['question', 'order', 'color']), ...intervalMember(habit) };
  return JSON.stringify({ ...members, ...begins, archived, ...carried }).slice(0, -1);
}

const IMPLIED_RATE = { COMPLETED: 1, PARTIAL: 0.5, SKIPPED: 0 };

function logMembers(log: FileLog, habitSourceId: string): object {
  const { localDate, sourceId, occurredAt, status, completionRate, contextTags, note } = log;
  return {
    localDate,
    ...(sourceId !== `${habitSourceId}/${localDate}` && { sourceId }),
    ...(occurredAt !== null && { occurredAt }),
    status,
    ...(completionRate !== IMPLIED_RATE[status] && { completionRate }),
    ...stated(log, ['durationMinutes', 'moodScore', 'energyScore', 'stressScore']),
    ...(contextTags.length > 0 && { contextTags }),
    ...(note !== null && { note }),
  };
}

/** How often the habit is due in another app, while its schedule is still made of that. */
function intervalMember(habit: Pick<HabitInFile, 'interval' | keyof Schedule>): object {
  const interval = habit.interval && intervalOf(habit, habit.interval);
  return interval ? { interval } : {};
}

function stated<Of extends object>(of: Of, members: readonly (keyof Of)[]): object {
  return Object.fromEntries(members.flatMap((member) => (of[member] === null ? [] : [[member, of[member]]])));
}

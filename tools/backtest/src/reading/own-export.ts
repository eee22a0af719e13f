import type { HabitHistory, WeekStart } from '@evenkeel/scoring';
import {
  CollectedHabits,
  usableName,
  type Entry,
  type HabitFacts,
  type HabitFile,
  dayOf,
  kindOf,
  type Frequency,
} from './collected-habits';
import { expectAtMost, LIMITS, UnreadableFile } from './rejects';
import type { ReadContext } from './read-file';

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads habits as our own exports write them: `habits`, each with the members of a habit record and its `logs`.
 * @throws UnreadableFile
 */
export function readExport(bytes: Uint8Array, context: ReadContext): HabitFile {
  const document = parsed(bytes);
  const habits = document['habits'];
  if (!Array.isArray(habits)) throw new UnreadableFile('The JSON has no list "habits": it is no export of ours.');
  expectAtMost(LIMITS.series, habits.length, 'habits');
  const { rejects } = context;
  const collected = new CollectedHabits(rejects, context.today);
  habits.forEach((given: unknown, index) => {
    const where = `habits[${index}]`;
    const facts = isObject(given) ? factsOf(given) : { reason: 'not an object' };
    if ('reason' in facts) return rejects.add(where, facts.reason);
    const logs = (given as Json)['logs'] ?? [];
    if (!Array.isArray(logs)) return rejects.add(where, 'logs are not a list');
    const habit = collected.open(facts);
    logs.forEach((log: unknown, at) => {
      const place = `${where}.logs[${at}]`;
      const read = isObject(log) ? readLog(log) : { reason: 'not an object' };
      if ('reason' in read) rejects.add(place, read.reason);
      else collected.add(habit, read.day, read.entry, place, false);
    });
  });
  const weekStart = weekStartOf(document);
  return { subject: 'habits', format: 'JSON export', habits: collected.finished(), weekStart, notes: [] };
}

function parsed(bytes: Uint8Array): Json {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const isText = error instanceof SyntaxError;
    throw new UnreadableFile(isText ? `The file is not JSON: ${error.message}.` : 'The JSON is not UTF-8.');
  }
  if (!isObject(document)) throw new UnreadableFile('The JSON is not an object with a list "habits".');
  return document;
}

function factsOf(habit: Json): HabitFacts | { reason: string } {
  const { name, cadence, targetPerWeek, targetDaysMask, startDate, status } = habit;
  const named = usableName(typeof name === 'string' ? name : '');
  if ('reason' in named) return named;
  if (!isAbsent(cadence) && !['DAILY', 'WEEKLY', 'CUSTOM'].includes(cadence as string))
    return { reason: 'unknown cadence' };
  if (!isAbsent(targetPerWeek) && !isInteger(targetPerWeek, 1, 14)) return { reason: 'targetPerWeek is not 1 to 14' };
  if (!isAbsent(targetDaysMask) && !isInteger(targetDaysMask, 0, 127))
    return { reason: 'targetDaysMask is not 0 to 127' };
  const startDay = typeof startDate === 'string' ? dayOf(startDate.slice(0, 10)) : undefined;
  if (!isAbsent(startDate) && startDay === undefined) return { reason: 'startDate is no date' };
  const schedule = { cadence, targetPerWeek, targetDaysMask } as HabitFacts['schedule'];
  return { ...named, ...frequencyOf(schedule), schedule, archived: status === 'ARCHIVED', startDay };
}

function frequencyOf({ cadence, targetPerWeek, targetDaysMask }: Partial<HabitHistory>): {
  frequency: Frequency;
  kind: string;
} {
  const bits = [...(targetDaysMask ?? 0).toString(2)].filter((bit) => bit === '1').length;
  const times = bits || (targetPerWeek ?? (cadence === 'WEEKLY' ? 1 : 7));
  const frequency = times === 7 ? { times: 1, days: 1 } : { times, days: 7 };
  return { frequency, kind: bits > 0 && bits < 7 ? 'fixed weekdays' : kindOf(frequency) };
}

function readLog({
  localDate,
  occurredAt,
  status,
  completionRate,
}: Json): { day: number; entry: Entry } | { reason: string } {
  const date = localDate ?? occurredAt;
  const day = typeof date === 'string' ? dayOf(date.slice(0, 10)) : undefined;
  if (day === undefined) return { reason: 'neither localDate nor occurredAt is a date' };
  if (status === 'COMPLETED' || status === 'SKIPPED') return { day, entry: { status } };
  if (status !== 'PARTIAL') return { reason: 'the status is not COMPLETED, PARTIAL or SKIPPED' };
  if (isAbsent(completionRate)) return { day, entry: { status } };
  if (typeof completionRate !== 'number' || !(completionRate >= 0 && completionRate <= 1)) {
    return { reason: 'completionRate is not 0 to 1' };
  }
  return { day, entry: { status, completionRate } };
}

function weekStartOf({ profile }: Json): WeekStart {
  const weekStart = isObject(profile) ? profile['weekStart'] : undefined;
  return weekStart === 'SUNDAY' || weekStart === 'SATURDAY' ? weekStart : 'MONDAY';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

import type { Cadence, HabitFile } from '../habit-file';
import { CollectedHabits, dayOf, isStart, type Entry, type HabitFacts, type ReadOptions } from './collected-habits';
import { isObject, JsonDocument, type Json } from './json-document';
import { completeSchedule, frequencyOf } from './schedules';
import { charactersOf, hasUnusable, LONGEST, usableName, type TextRepair } from './texts';
import { UnreadableFile } from './unreadable-file';

/** What `format` and `version` of a document say; without a format any document with a list of habits is read. */
export const OWN_FORMAT = 'evenkeel.habits';
export const OWN_VERSION = 1;

type Reason = { readonly reason: string };

/**
 * Reads habits as our own exports write them: `habits`, each with the members of a habit record and its `logs`. Members
 * that are not known are passed over.
 * @throws UnreadableFile
 */
export function readOwnJson(bytes: Uint8Array, options: ReadOptions): HabitFile {
  const collected = new CollectedHabits(options);
  const document = JsonDocument.of(bytes, collected.limits);
  const { habits, format, version } = document.members;
  if (format === OWN_FORMAT && version !== OWN_VERSION) {
    const sentence = `The JSON is of version ${typeof version === 'number' ? version : 'unknown'}: only ${OWN_VERSION} can be read.`;
    throw new UnreadableFile('json_version_unknown', sentence);
  }
  if (!Array.isArray(habits)) {
    throw new UnreadableFile('json_without_habits', 'The JSON has no list "habits": it is no export of ours.');
  }
  habits.forEach((given: unknown, index) => {
    const row = `habits[${index}]`;
    const item = document.item(given);
    const facts = isObject(item) ? factsOf(item, collected) : { reason: 'not an object' };
    if ('reason' in facts) return collected.reject('habits', row, facts.reason);
    const logs = (item as Json)['logs'] ?? [];
    if (!Array.isArray(logs)) return collected.reject('habits', row, 'logs are not a list');
    const habit = collected.open(facts);
    logs.forEach((log: unknown, at) => {
      collected.countRow();
      const place = `${row}.logs[${at}]`;
      const read = isObject(log) ? readLog(log, collected.texts) : { reason: 'not an object' };
      if ('reason' in read) collected.reject('logs', place, read.reason);
      else collected.add(habit, read.day, read.entry, place, false);
    });
  });
  return collected.finished('json', { weekStart: weekStartOf(document.members) });
}

function factsOf(habit: Json, collected: CollectedHabits): HabitFacts | Reason {
  const { name, cadence, targetPerWeek, targetDaysMask, startDate, createdOn, status, archived, sourceId } = habit;
  const named = usableName(typeof name === 'string' ? name : '');
  if ('reason' in named) return named;
  if (!isAbsent(cadence) && !isOneOf(cadence, CADENCES)) return { reason: 'unknown cadence' };
  if (!isAbsent(targetPerWeek) && !isInteger(targetPerWeek, 1, 14)) return { reason: 'targetPerWeek is not 1 to 14' };
  if (!isAbsent(targetDaysMask) && !isInteger(targetDaysMask, 0, 127)) {
    return { reason: 'targetDaysMask is not 0 to 127' };
  }
  const startDay = typeof startDate === 'string' ? dayOf(startDate.slice(0, 10)) : undefined;
  if (!isAbsent(startDate) && startDay === undefined) return { reason: 'startDate is no date' };
  if (startDay !== undefined && !isStart(startDay)) return { reason: 'startDate is not from 2000 to 2099' };
  const createdDay = typeof createdOn === 'string' ? dayOf(createdOn) : undefined;
  if (!isAbsent(createdOn) && createdDay === undefined) return { reason: 'createdOn is no date' };
  if (createdDay !== undefined && !isStart(createdDay)) return { reason: 'createdOn is not from 2000 to 2099' };
  if (!isAbsent(sourceId) && !isSourceId(sourceId, LONGEST.sourceId)) return { reason: 'sourceId is no id' };
  if (!isAbsent(sourceId) && collected.hasHabit(sourceId)) return { reason: 'a second habit of this sourceId' };
  const { order, color } = habit;
  if (!isAbsent(order) && !isInteger(order, -(2 ** 31), 2 ** 31 - 1)) return { reason: 'order is no integer' };
  if (!isAbsent(color) && !isColor(color)) return { reason: 'color is not #rrggbb' };
  const description = textIn(habit['description'], LONGEST.description, collected.texts);
  const category = textIn(habit['category'], LONGEST.category, collected.texts);
  if (description === undefined || category === undefined) return { reason: 'description or category is no text' };
  const schedule = completeSchedule({ cadence, targetPerWeek, targetDaysMask });
  return {
    ...{ ...named, description, category, ...schedule },
    ...{ order, color: color?.toLowerCase() },
    archived: archived === true || status === 'ARCHIVED',
    frequency: frequencyOf(schedule),
    startDay,
    createdDay: startDay === undefined ? createdDay : undefined,
    sourceId: isAbsent(sourceId) ? undefined : sourceId,
  };
}

const CADENCES: readonly Cadence[] = ['DAILY', 'WEEKLY', 'CUSTOM'];
const STATUSES = ['COMPLETED', 'PARTIAL', 'SKIPPED'] as const;
const DEFAULT_RATE = { COMPLETED: 1, PARTIAL: 0.5, SKIPPED: 0 };
const DAY_MS = 86_400_000;
/** An instant lies on its local date, or on one beside it: zones and late ends of days move no further. */
const FARTHEST_DAYS = 2;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function readLog(log: Json, texts: TextRepair): { day: number; entry: Entry } | Reason {
  const { localDate, occurredAt, status } = log;
  const date = localDate ?? occurredAt;
  const day = typeof date === 'string' ? dayOf(date.slice(0, 10)) : undefined;
  if (day === undefined) return { reason: 'neither localDate nor occurredAt is a date' };
  const instant = isAbsent(occurredAt) ? null : instantOf(occurredAt);
  if (instant === undefined) return { reason: 'occurredAt is no instant such as 2026-01-31T07:00:00.000Z' };
  if (instant !== null && Math.abs(Date.parse(instant) / DAY_MS - day - 0.5) > FARTHEST_DAYS) {
    return { reason: 'localDate and occurredAt are days apart' };
  }
  if (!isOneOf(status, STATUSES)) return { reason: 'the status is not COMPLETED, PARTIAL or SKIPPED' };
  const completionRate = log['completionRate'] ?? DEFAULT_RATE[status];
  if (typeof completionRate !== 'number' || !(completionRate >= 0 && completionRate <= 1)) {
    return { reason: 'completionRate is not 0 to 1' };
  }
  if (status !== 'PARTIAL' && completionRate !== DEFAULT_RATE[status]) {
    return { reason: `completionRate of ${status} is ${DEFAULT_RATE[status]}` };
  }
  const rest = readRest(log, texts);
  return 'reason' in rest ? rest : { day, entry: { status, completionRate, occurredAt: instant, ...rest } };
}

type Rest = Omit<Extract<Entry, object>, 'status' | 'completionRate' | 'occurredAt'>;

/** What a log says beside what was done. */
function readRest(log: Json, texts: TextRepair): Rest | Reason {
  const { sourceId, durationMinutes, moodScore, energyScore, stressScore, contextTags } = log;
  if (!isAbsent(sourceId) && !isSourceId(sourceId, LONGEST.logSourceId)) return { reason: 'sourceId is no id' };
  if (!isAbsent(durationMinutes) && !isInteger(durationMinutes, 0, 1_440)) {
    return { reason: 'durationMinutes is not 0 to 1440' };
  }
  const scores = [moodScore, energyScore, stressScore];
  if (!scores.every((score) => isAbsent(score) || isInteger(score, 1, 10))) return { reason: 'a score is not 1 to 10' };
  if (!isAbsent(contextTags) && !isTags(contextTags)) {
    return { reason: `contextTags are not at most 12 texts of at most ${LONGEST.tag} characters` };
  }
  const note = textIn(log['note'], LONGEST.note, texts);
  if (note === undefined) return { reason: 'the note is no text' };
  const [mood, energy, stress] = scores.map((score) => score ?? null);
  return {
    sourceId: sourceId ?? undefined,
    durationMinutes: durationMinutes ?? null,
    ...{ moodScore: mood, energyScore: energy, stressScore: stress },
    contextTags: contextTags ?? [],
    note,
  };
}

function instantOf(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  // A day alone, as older exports have it, says no instant.
  if (!INSTANT.test(text) || dayOf(text.slice(0, 10)) === undefined) return undefined;
  const atMs = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/** @returns undefined for what is no text */
function textIn(value: unknown, longest: number, texts: TextRepair): string | null | undefined {
  if (isAbsent(value)) return null;
  return typeof value === 'string' ? texts.text(value, longest) : undefined;
}

function weekStartOf({ profile }: Json): HabitFile['weekStart'] {
  const weekStart = isObject(profile) ? profile['weekStart'] : undefined;
  return isOneOf(weekStart, ['MONDAY', 'SUNDAY', 'SATURDAY'] as const) ? weekStart : null;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isOneOf<Value>(value: unknown, of: readonly Value[]): value is Value {
  return of.includes(value as Value);
}

function isSourceId(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && charactersOf(value) <= longest && !hasUnusable(value);
}

function isColor(value: unknown): value is string {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value);
}

function isTags(value: unknown): value is string[] {
  const isTag = (tag: unknown) => typeof tag === 'string' && charactersOf(tag) <= LONGEST.tag && !hasUnusable(tag);
  return Array.isArray(value) && value.length <= 12 && value.every(isTag);
}

import type { CarriedFacts, Cadence, Frequency, HabitFile } from '../habit-file';
import { colourOfText } from '../loop/loop-habit';
import { CollectedHabits, dayOf, isStart, withNote } from './collected-habits';
import type { Entry, HabitFacts, ReadOptions } from './collected-habits';
import { instantOf, personalDayOf } from './days-of-instants';
import { isAbsent, isEmpty, isObject, JsonDocument, noHabits, type Json } from './json-document';
import { ENTRY_MEMBERS, mayBeHistory, NOT_DONE, translated, type Translated } from './other-trackers';
import { completeSchedule, frequencyOf, intervalOf, isFrequency, scheduleNote, scheduleOf } from './schedules';
import { charactersOf, hasUnusable, LONGEST, usableName, type TextRepair } from './texts';
import { UnreadableFile } from './unreadable-file';

/** `format` and `version` of a document; without a format any document with a list of habits is read. */
export const OWN_FORMAT = 'evenkeel.habits';
export const OWN_VERSION = 1;

type Reason = { readonly reason: string };

/**
 * Reads habits as our own exports write them: `habits`, each with the members of a habit record and its `logs`. Files of other
 * trackers are read where their history is known. Members that hold something and are not read are named.
 * @throws UnreadableFile also for habits with a history that cannot be read: they never arrive without it
 */
export function readOwnJson(bytes: Uint8Array, options: ReadOptions): HabitFile {
  const collected = new CollectedHabits(options);
  const document = JsonDocument.of(bytes, collected.limits);
  const { members, habits } = habitsIn(document.members);
  const { format, version } = members;
  if (format === OWN_FORMAT && version !== OWN_VERSION) {
    const sentence = `The JSON is of version ${typeof version === 'number' ? version : 'unknown'}: only ${OWN_VERSION} can be read.`;
    throw new UnreadableFile('json_version_unknown', sentence);
  }
  const isOurs = typeof format === 'string' && format.startsWith('evenkeel.');
  const apps = new Set<string>();
  let notDone = 0;
  let withLogs = 0;
  habits.forEach((given: unknown, index) => {
    const row = `habits[${index}]`;
    const item = withoutEmptyLogs(document.item(given));
    if (!isObject(item)) return collected.reject('habits', row, 'not an object');
    const hasOurLogs = isOurs || areOurs(item['logs']);
    const foreign = hasOurLogs ? undefined : translated(item, options);
    if (foreign) apps.add(foreign.app);
    leaveOutMembers(item, { foreign, hasOurLogs }, collected);
    const logs = foreign?.logs ?? item['logs'] ?? [];
    if (!Array.isArray(logs)) return collected.reject('habits', row, 'logs are not a list');
    if (logs.length > 0) withLogs++;
    const facts = factsOf(foreign?.habit ?? item, collected, foreign?.frequency);
    const place = (at: number) => `${row}.${foreign?.history ?? 'logs'}[${at}]`;
    if ('reason' in facts) {
      collected.reject('habits', row, facts.reason);
      logs.forEach((_, at) => collected.rejectLogOf(facts.reason, place(at)));
      return;
    }
    const habit = collected.open(facts);
    logs.forEach((log: unknown, at) => {
      collected.countRow();
      const read = isObject(log) ? readLog(log, collected) : { reason: 'not an object' };
      if (isObject(log)) leaveOutOfLog(log, foreign, collected);
      if ('reason' in read) return collected.reject('logs', place(at), read.reason);
      if (read.entry === 'nothing') notDone++;
      collected.add(habit, read.day, read.entry, place(at), false);
    });
  });
  // A list alone may be one of anything.
  if (document.members === habits && withLogs === 0 && apps.size === 0) throw noHabits();
  leaveOutLists(members, habits, isOurs || withLogs > 0, collected);
  return collected.finished('json', {
    weekStart: weekStartOf(members),
    ofAll: [
      ...[...apps].map((app) => `Read as a file of ${app}.`),
      ...(notDone > 0 ? [`Days marked as not done, which are days without a log here: ${notDone}.`] : []),
    ],
  });
}

/**
 * The list of habits: of the document, of its one part that has one, or the document itself.
 * @throws UnreadableFile
 */
function habitsIn(document: Json | readonly unknown[]): { members: Json; habits: readonly unknown[] } {
  if (!isObject(document)) {
    if (document.some(isObject)) return { members: {}, habits: document };
    throw noHabits();
  }
  for (const members of [document, ...Object.values(document).filter(isObject)]) {
    const { habits } = members;
    if (Array.isArray(habits)) return { members, habits };
  }
  throw new UnreadableFile('json_without_habits', 'The JSON has no list "habits": it is no export of ours.');
}

const RECORD = ['id', 'clientId', 'sourceId', 'status', 'createdAt', 'updatedAt'];
const SCHEDULE = ['cadence', 'targetPerWeek', 'targetDaysMask', 'interval', 'startDate', 'createdOn'];
const SCORES = ['moodScore', 'energyScore', 'stressScore'];
const LOOK = ['name', 'description', 'category', 'question', 'order', 'color'];

/** Of a habit of ours; and what is computed, or said by another member. */
const MEMBERS_READ = [...RECORD, ...LOOK, ...SCHEDULE, 'archivedAt', 'stats'];
const WORDS_READ = new Map(Object.entries({ status: /^"(active|archived)"$/i, archived: /^true$/ }));
const LOG = ['habitId', 'localDate', 'occurredAt', 'completionRate', 'durationMinutes', 'contextTags', 'note'];
const LOG_MEMBERS_READ = [...RECORD, ...SCORES, ...LOG];

/** Logs of none say nothing: the history may be in another member. */
function withoutEmptyLogs(item: unknown): unknown {
  return isObject(item) && Array.isArray(item['logs']) && isEmpty(item['logs']) ? { ...item, logs: undefined } : item;
}

/** Whether logs are in our form. */
function areOurs(logs: unknown): boolean {
  return Array.isArray(logs) && logs.some((log) => isObject(log) && ('localDate' in log || 'occurredAt' in log));
}

/** @throws UnreadableFile where one of them may be the history of the habit */
function leaveOutMembers(
  habit: Json,
  { foreign, hasOurLogs }: { foreign: Translated | undefined; hasOurLogs: boolean },
  collected: CollectedHabits,
): void {
  for (const [member, value] of Object.entries(habit)) {
    const isRead = WORDS_READ.get(member)?.test(JSON.stringify(value)) ?? MEMBERS_READ.includes(member);
    if (isEmpty(value) || isRead || foreign?.used.includes(member) || (hasOurLogs && member === 'logs')) continue;
    const isHistory = member === 'logs' || mayBeHistory(value, member);
    if (!hasOurLogs && !foreign && isHistory) throw unknownHistory(member);
    collected.leaveOut(`"${member.slice(0, LONGEST.tag)}" of habits`);
  }
}

function leaveOutOfLog(log: Json, foreign: Translated | undefined, collected: CollectedHabits): void {
  for (const [member, value] of Object.entries(log)) {
    if (LOG_MEMBERS_READ.includes(member) || isEmpty(value) || (foreign && ENTRY_MEMBERS.includes(member))) continue;
    collected.leaveOut(`"${member.slice(0, LONGEST.tag)}" of logs`);
  }
}

/** @throws UnreadableFile where no habit has a history, and one of the lists may hold that of all */
function leaveOutLists(members: Json, habits: readonly unknown[], hasLogs: boolean, collected: CollectedHabits): void {
  for (const [member, value] of Object.entries(members)) {
    if (value === habits || isEmpty(value) || ['format', 'version', 'profile', 'exportedAt'].includes(member)) continue;
    if (!hasLogs && habits.length > 0 && mayBeHistory(value)) throw unknownHistory(member);
    collected.leaveOut(`"${member.slice(0, LONGEST.tag)}"`);
  }
}

function unknownHistory(member: string): UnreadableFile {
  const sentence = `The JSON has its days in "${member.slice(0, LONGEST.tag)}", a form that is not known here: nothing is imported, so that no habit arrives without its history.`;
  return new UnreadableFile('json_without_habits', sentence);
}

/** @param given how often it is due, where another tracker says so */
function factsOf(habit: Json, collected: CollectedHabits, given?: Frequency): HabitFacts | Reason {
  const { name, cadence, targetPerWeek, targetDaysMask, startDate, createdOn, sourceId } = habit;
  const named = usableName(typeof name === 'string' ? name : '');
  if ('reason' in named) return named;
  if (!isAbsent(cadence) && !isOneOf(cadence, CADENCES)) return { reason: 'unknown cadence' };
  if (!isAbsent(targetPerWeek) && !isInteger(targetPerWeek, 1, 14)) return { reason: 'targetPerWeek is not 1 to 14' };
  if (!isAbsent(targetDaysMask) && !isInteger(targetDaysMask, 0, 127)) {
    return { reason: 'targetDaysMask is not 0 to 127' };
  }
  const startDay = isAbsent(startDate) ? undefined : personalDayOf(startDate, collected.options);
  if (!isAbsent(startDate) && startDay === undefined) return { reason: 'startDate is no date' };
  if (startDay !== undefined && !isStart(startDay)) return { reason: 'startDate is not from 2000 to 2099' };
  const createdDay = typeof createdOn === 'string' ? dayOf(createdOn) : undefined;
  if (!isAbsent(createdOn) && createdDay === undefined) return { reason: 'createdOn is no date' };
  if (createdDay !== undefined && !isStart(createdDay)) return { reason: 'createdOn is not from 2000 to 2099' };
  if (!isAbsent(sourceId) && !isSourceId(sourceId, LONGEST.sourceId)) return { reason: 'sourceId is no id' };
  if (!isAbsent(sourceId) && collected.hasHabit(sourceId)) return { reason: 'a second habit of this sourceId' };
  const description = textIn(habit['description'], LONGEST.description, collected.texts);
  const category = textIn(habit['category'], LONGEST.category, collected.texts);
  if (description === undefined || category === undefined) return { reason: 'description or category is no text' };
  const isDueAsThere = given !== undefined && isFrequency(given);
  const schedule = isDueAsThere ? scheduleOf(given) : completeSchedule({ cadence, targetPerWeek, targetDaysMask });
  const sentence = isDueAsThere ? scheduleNote(named.name, given) : undefined;
  if (sentence !== undefined) collected.note(sentence);
  const carried = carriedFacts(habit, collected.texts);
  for (const [member, value] of Object.entries(carried)) {
    if (value === null && !isEmpty(habit[member])) collected.leaveOut(`"${member}" of habits`);
  }
  const interval = intervalOf(schedule, isDueAsThere ? given : (carried.interval ?? frequencyOf(schedule)));
  return {
    ...named,
    description,
    category,
    ...schedule,
    ...carried,
    interval,
    archived: isArchived(habit),
    frequency: frequencyOf({ ...schedule, interval }),
    place: carried.order ?? undefined,
    startDay,
    createdDay: startDay === undefined ? createdDay : undefined,
    sourceId: isAbsent(sourceId) ? undefined : sourceId,
  };
}

/** An exported account has `archivedAt` also of a habit that only the cap of the plan has archived: the other two come first. */
function isArchived({ archived, status, archivedAt }: Json): boolean {
  if (isAbsent(archived) && isAbsent(status)) return !isEmpty(archivedAt);
  return archived === true || /^"archived"$/i.test(JSON.stringify(status));
}

/** Members of other apps are no reason to refuse the habit. */
function carriedFacts({ question, interval, order, color }: Json, texts: TextRepair): CarriedFacts {
  const { times, days } = isObject(interval) ? (interval as Partial<Frequency>) : {};
  const frequency = { times: times ?? NaN, days: days ?? NaN };
  return {
    question: typeof question === 'string' ? texts.textOrNull(question, LONGEST.question) : null,
    interval: isFrequency(frequency) ? frequency : null,
    order: isInteger(order, -(2 ** 31), 2 ** 31 - 1) ? order : null,
    color: typeof color === 'string' ? colourOfText(color) : null,
  };
}

const CADENCES: readonly Cadence[] = ['DAILY', 'WEEKLY', 'CUSTOM'];
const STATUSES = ['COMPLETED', 'PARTIAL', 'SKIPPED'] as const;
const DEFAULT_RATE = { COMPLETED: 1, PARTIAL: 0.5, SKIPPED: 0 };
const DAY_MS = 86_400_000;
/** An instant is on its local date, or on one beside it: zones and late ends of days move no further. */
const FARTHEST_DAYS = 2;

function readLog(log: Json, { texts, options }: CollectedHabits): { day: number; entry: Entry } | Reason {
  const { localDate, occurredAt, status, note } = log;
  const day = isAbsent(localDate) ? personalDayOf(occurredAt, options) : dayOfDate(localDate);
  if (day === undefined) return { reason: 'neither localDate nor occurredAt is a date' };
  const instant = isAbsent(occurredAt) ? null : instantOf(occurredAt);
  if (instant === undefined) return { reason: 'occurredAt is no instant such as 2026-01-31T07:00:00.000Z' };
  if (instant !== null && Math.abs(Date.parse(instant) / DAY_MS - day - 0.5) > FARTHEST_DAYS) {
    return { reason: 'localDate and occurredAt are days apart' };
  }
  if (status === NOT_DONE) return { day, entry: withNote('nothing', typeof note === 'string' ? note : '', texts) };
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

/** The members of a log beside its status. */
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
    moodScore: mood,
    energyScore: energy,
    stressScore: stress,
    contextTags: contextTags ?? [],
    note,
  };
}

function dayOfDate(date: unknown): number | undefined {
  return typeof date === 'string' ? dayOf(date.slice(0, 10)) : undefined;
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

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
}

function isOneOf<Value>(value: unknown, of: readonly Value[]): value is Value {
  return of.includes(value as Value);
}

function isSourceId(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && charactersOf(value) <= longest && !hasUnusable(value);
}

function isTags(value: unknown): value is string[] {
  const isTag = (tag: unknown) => typeof tag === 'string' && charactersOf(tag) <= LONGEST.tag && !hasUnusable(tag);
  return Array.isArray(value) && value.length <= 12 && value.every(isTag);
}

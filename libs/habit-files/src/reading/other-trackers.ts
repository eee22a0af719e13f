import { civilDate } from '@evenkeel/scoring';
import type { Frequency } from '../habit-file';
import { shareOfTarget, type Measure } from '../loop/loop-habit';
import { dayOf, type ReadOptions } from './collected-habits';
import { instantOf, personalDayOf } from './days-of-instants';
import { isObject, type Json } from './json-document';

/** Status of a day of which another tracker says that nothing was done. */
export const NOT_DONE = 'NOT_DONE';

/** A habit of another tracker in the members of our own JSON. */
export interface Translated {
  readonly app: string;
  readonly habit: Json;
  readonly frequency?: Frequency;
  /** Members that the translation has used. */
  readonly used: readonly string[];
  /** The member with its days. */
  readonly history: string;
  readonly logs: readonly unknown[];
}

/** @returns undefined where the habit has no history in a form that is known */
export function translated(habit: Json, options: ReadOptions): Translated | undefined {
  const { records } = habit;
  if (Array.isArray(records)) {
    if ('freq_type' in habit || records.some((record) => isObject(record) && 'record_date' in record)) {
      return ofMhabit(habit, records);
    }
    if (records.every((record) => isObject(record) && 'day' in record)) return ofBeaver(habit, records);
  }
  const history = Object.keys(habit).find((member) => HISTORY.test(member) && isHistory(habit[member]));
  return history === undefined ? undefined : ofDates(habit, history, options);
}

/**
 * Whether a member may hold days: a list of objects or dates, also as numbers, or an object by date.
 * @param ofHabit its name where it is one of a habit: in a list of days each of them looks like a habit, and has its own date
 */
export function mayBeHistory(value: unknown, ofHabit?: string): boolean {
  if (['occurredAt', ...MEMBERS.date].some((member) => member === ofHabit) && isDate(value)) return true;
  if (Array.isArray(value))
    return value.some((one) => isObject(one) || isDate(one) || (typeof one === 'number' && one >= LEAST_DATE));
  return isObject(value) && Object.keys(value).some(isDate);
}

/** As a number, such as 20260105, or an instant in seconds or milliseconds: other numbers of habits are smaller. */
const LEAST_DATE = 10_000_000;

const PERIODS: Readonly<Record<string, number>> = { D: 1, W: 7, M: 30, Y: 365 };

/** Beaver Habit Tracker: `records` of `day` and `done`. */
function ofBeaver(habit: Json, records: readonly unknown[]): Translated {
  const { period, weekly_goal: weeklyGoal, status } = habit;
  const { period_type: type, period_count: count, target_count: target } = isObject(period) ? period : {};
  const days = typeof type === 'string' ? PERIODS[type] : undefined;
  const perWeek = typeof weeklyGoal === 'number' && weeklyGoal > 0 ? { times: weeklyGoal, days: 7 } : undefined;
  return {
    app: 'Beaver Habit Tracker',
    habit: { ...habit, archived: status === 'archive' || status === 'archived' || isDeleted(status) },
    frequency: days === undefined ? perWeek : { times: numberIn(target, 1), days: days * numberIn(count, 1) },
    used: ['records', 'period', 'weekly_goal', 'status', 'id'],
    history: 'records',
    logs: records.map((given) => {
      const { day, done, text } = given as Json;
      return { localDate: day, status: done === true ? 'COMPLETED' : NOT_DONE, note: text };
    }),
  };
}

/** JavaScript would ask a list or an object what number it is, and fail where the file gives it a member `toString`. */
function numberIn(value: unknown, ifAbsent: number): number {
  return typeof value === 'object' && value !== null ? NaN : Number(value ?? ifAbsent);
}

function isDeleted(status: unknown): boolean {
  return typeof status === 'string' && /^(soft_?)?deleted?$/i.test(status);
}

const MHABIT = { deleted: 2, archived: 3, atMost: 2, done: 1, skipped: 2, weekly: 1, monthly: 2, custom: 3 } as const;

/** Table Habit (mhabit): days counted from 1970, and numbers against a daily goal. */
function ofMhabit(habit: Json, records: readonly unknown[]): Translated {
  const { type, status, daily_goal: goal, daily_goal_extra: extra, start_date: start, desc } = habit;
  const atMost = type === MHABIT.atMost;
  const target = numberIn(atMost ? (extra ?? goal) : goal, atMost ? 0 : 1);
  return {
    app: 'Table Habit (mhabit)',
    habit: {
      ...habit,
      description: desc,
      startDate: dateOfNumber(start),
      archived: status === MHABIT.archived || status === MHABIT.deleted,
    },
    frequency: frequencyOfMhabit(habit),
    used: [
      'records',
      'type',
      'status',
      'daily_goal',
      'daily_goal_unit',
      'daily_goal_extra',
      'start_date',
      'desc',
      'freq_type',
      'freq_custom',
      'create_t',
      'modify_t',
    ],
    history: 'records',
    logs: records.map((record) => (isObject(record) ? logOfMhabit(record, { atMost, target }) : record)),
  };
}

function logOfMhabit(record: Json, measure: Measure): Json {
  const { record_date: day, record_type: type, record_value: value, reason } = record;
  const log = { localDate: dateOfNumber(day), note: reason };
  if (type === MHABIT.skipped) return { ...log, status: 'SKIPPED' };
  if (type !== MHABIT.done || typeof value !== 'number' || !(value >= 0)) return { ...log, status: NOT_DONE };
  const share = shareOfTarget(value, measure);
  if (share === 1) return { ...log, status: 'COMPLETED' };
  return share === 0 ? { ...log, status: NOT_DONE } : { ...log, status: 'PARTIAL', completionRate: share };
}

function frequencyOfMhabit({ freq_type: type, freq_custom: custom }: Json): Frequency | undefined {
  const [times = NaN, days = NaN] = (JSON.stringify(custom ?? null).match(/\d+/g) ?? []).map(Number);
  if (type === MHABIT.weekly) return { times, days: 7 };
  if (type === MHABIT.monthly) return { times, days: 30 };
  return type === MHABIT.custom ? { times, days } : undefined;
}

/** @returns what is no number of a day as it is */
function dateOfNumber(day: unknown): unknown {
  return Number.isInteger(day) && Math.abs(day as number) < 100_000 ? civilDate(day as number) : day;
}

const HISTORY =
  /^(completions?|completed(_?(dates|days|on))?|dates|days|done(_?(dates|days))?|history|check_?ins?|checkmarks|entries|records|logs)$/i;
const MEMBERS = {
  date: ['date', 'day', 'localDate', 'dateKey', 'completedAt', 'completed_at', 'timestamp', 'at'],
  done: ['done', 'completed', 'isCompleted', 'isDone', 'complete', 'checked', 'value', 'count', 'status', 'state'],
  skipped: ['skipped', 'isSkipped'],
  missed: ['missed', 'failed'],
  note: ['note', 'notes', 'text', 'comment'],
} as const;

/** Of entries that are read as well as they can be. */
export const ENTRY_MEMBERS: readonly string[] = Object.values(MEMBERS).flat();

function isHistory(value: unknown): boolean {
  if (Array.isArray(value))
    return value.every((one) => isDate(one) || (isObject(one) && isDate(memberOf(one, 'date'))));
  return isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every(isDate);
}

/** Behind a day: nothing, or a time, which programs also write with a space before it and without its zone. */
const TIME = /^([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

function isDate(value: unknown): boolean {
  return typeof value === 'string' && dayOf(value.slice(0, 10)) !== undefined && TIME.test(value.slice(10));
}

function memberOf(of: Json, what: keyof typeof MEMBERS): unknown {
  const member = MEMBERS[what].find((name) => of[name] !== undefined && of[name] !== null);
  return member === undefined ? undefined : of[member];
}

/** Dates on which something was done, such as the `completions` of HabitTrove: a list of them, of objects with one, or by date. */
function ofDates(habit: Json, history: string, options: ReadOptions): Translated {
  const given = habit[history];
  const entries = Array.isArray(given)
    ? given.map((one: unknown) => (isObject(one) ? logOfEntry(one) : logOf(one, true)))
    : Object.entries(given as Json).map(([date, done]) => logOf(date, done ?? false));
  const { targetCompletions: times, frequency, name, title, isTask } = habit;
  const many = Number.isInteger(times) && (times as number) > 1 ? (times as number) : 1;
  const due = dueByText(frequency);
  return {
    app: typeof frequency === 'string' && 'coinReward' in habit ? 'HabitTrove' : 'a list of dates',
    habit: { ...habit, name: name ?? title, ...due?.schedule },
    frequency: due?.frequency,
    used: [
      ...[history, 'title', 'targetCompletions', 'coinReward'],
      ...(due ? ['frequency'] : []),
      ...(isTask === true ? [] : ['isTask']),
    ],
    history,
    logs: many === 1 ? entries : countedADay(entries, many, options),
  };
}

function logOfEntry(entry: Json): Json {
  return { ...entry, ...logOf(memberOf(entry, 'date'), doneOf(entry)), note: memberOf(entry, 'note') };
}

function doneOf(entry: Json): unknown {
  const undone = (['skipped', 'missed'] as const).find((what) => memberOf(entry, what) === true);
  return undone ?? memberOf(entry, 'done');
}

function logOf(date: unknown, done: unknown): Json {
  const written = typeof date === 'string' ? date.replace(' ', 'T') : undefined;
  const at = instantOf(written) === undefined ? { localDate: date } : { occurredAt: written, localDate: undefined };
  return { ...at, ...statusOf(done) };
}

function statusOf(done: unknown): Json {
  if (done === undefined || done === true || done === null) return { status: 'COMPLETED' };
  if (done === false || done === 0) return { status: NOT_DONE };
  if (typeof done === 'number') {
    if (done >= 1) return { status: 'COMPLETED' };
    return done > 0 ? { status: 'PARTIAL', completionRate: done } : { status: done };
  }
  const word = typeof done === 'string' ? done.toLowerCase() : '';
  if (/^(completed?|done|yes|x|true|success|checked)$/.test(word)) return { status: 'COMPLETED' };
  if (/^(skip(ped)?|excused)$/.test(word)) return { status: 'SKIPPED' };
  return /^(no|missed|failed?|false|none|incomplete|not_?done)$/.test(word) ? { status: NOT_DONE } : { status: done };
}

/** One log a day for all that was done on it, in part where that is less often than it is to be; what is not done stays as it is. */
function countedADay(logs: readonly Json[], many: number, options: ReadOptions): Json[] {
  const days = new Map<number | undefined, Json[]>();
  const others: Json[] = [];
  for (const log of logs) {
    const day = personalDayOf(log['localDate'] ?? log['occurredAt'], options);
    const sameDay = days.get(day);
    if (log['status'] !== 'COMPLETED') others.push(log);
    else if (sameDay) sameDay.push(log);
    else days.set(day, [log]);
  }
  const counted = [...days].map(([day, done]) => {
    const localDate = day === undefined ? undefined : civilDate(day);
    const notes = done.flatMap(({ note }) => (typeof note === 'string' && note !== '' ? [note] : []));
    const log = { ...done[0], localDate, occurredAt: undefined, note: notes.join('\n') || null };
    return done.length >= many ? log : { ...log, status: 'PARTIAL', completionRate: done.length / many };
  });
  return [...counted, ...others];
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const RULE_DAYS: Readonly<Record<string, number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 30, YEARLY: 365 };

/**
 * Of `weekly`, or of a rule: fixed weekdays of every week (`FREQ=WEEKLY;BYDAY=MO,WE`), else so many times in so many days
 * (`FREQ=MONTHLY;BYDAY=+1MO`).
 * @returns undefined for anything else
 */
function dueByText(text: unknown): { schedule?: Json; frequency?: Frequency } | undefined {
  if (typeof text !== 'string') return undefined;
  const rule = text.toUpperCase();
  const parts = new Map([...rule.matchAll(/(\w+)=([^;\s]+)/g)].map(([, name, value]) => [name, value!]));
  const days = RULE_DAYS[parts.get('FREQ') ?? rule];
  if (days === undefined) return undefined;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const weekdays = parts.get('BYDAY')?.split(',') ?? [];
  const mask = weekdays.reduce((sum, day) => sum | (1 << WEEKDAYS.indexOf(day)), 0);
  const areOfEveryWeek = weekdays.every((day) => WEEKDAYS.includes(day)) && interval === 1 && !parts.has('BYSETPOS');
  if (mask !== 0 && areOfEveryWeek) return { schedule: { targetDaysMask: mask } };
  const listed = parts.get('BYSETPOS') ?? parts.get('BYDAY') ?? parts.get('BYMONTHDAY');
  return { frequency: { times: listed?.split(',').length ?? 1, days: days * interval } };
}

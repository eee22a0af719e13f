import { dayOf } from '@evenkeel/habit-files';
import { DomainError, localDate } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { civilDate, dayNumber } from '@evenkeel/scoring';
import type { EntityManager } from 'typeorm';
import { limitsAt, QuotaExceeded } from '../entitlements/plan-refusals';
import { type AccountUser, ACCESS_UNTIL } from '../users/account-user';
import type { StoredHabit } from './habit.entity';

/** Also when it is somebody else's: nobody learns what exists. */
export class HabitNotFound extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'not_found';
  constructor() {
    super('There is no such habit.');
  }
}

/** A `clientId` that is stored came again and said something else. */
export class ClientIdConflict<Stored extends object> extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'conflict';
  override readonly details: { stored: Stored; sent: object };

  /** @param sent what would have been stored, without what the service adds */
  constructor(stored: Stored, sent: object) {
    super('This clientId is stored with other content. Take a new one, or change what is stored.');
    this.details = { stored, sent };
  }
}

/** The zone and the beginning of the day of a person. */
export type DayRule = Pick<AccountUser, 'timezone' | 'dayStartMinutes'>;

const DATE_LENGTH = 10;

/**
 * The local date of an instant: as the clock of the person's zone shows it; without a zone the date as it is written. It is stored when something arrives and never computed again.
 * @param instant RFC 3339, as it came
 * @returns YYYY-MM-DD
 */
export function localDayOf(instant: string, { timezone, dayStartMinutes }: DayRule): string {
  if (timezone === null) return instant.slice(0, DATE_LENGTH);
  return localDate(new Date(instant), timezone, dayStartMinutes);
}

/** The day number of a date as a request writes it; undefined when there is no such day. */
export function existingDay(text: unknown): number | undefined {
  // PostgreSQL has no year 0.
  return typeof text === 'string' && !text.startsWith('0000') ? dayOf(text) : undefined;
}

/** The day on which a person's habits are looked at. Without a zone that of UTC, or the next one once they logged on it. */
export async function todayOf(
  runner: Pick<EntityManager, 'query'>,
  user: DayRule & Pick<AccountUser, 'userId'>,
  now: Date,
): Promise<string> {
  const today = localDayOf(now.toISOString(), user);
  if (user.timezone !== null) return today;
  const tomorrow = civilDate(dayNumber(today) + 1);
  const [row] = await runner.query<{ day: string | null }[]>(NEWEST_DAY, [user.userId]);
  return row?.day === tomorrow ? tomorrow : today;
}

/** SQL, for one look into the index for each habit. */
const NEWEST_DAY = `
  SELECT max(l.day)::text AS day FROM habits h CROSS JOIN LATERAL (
    SELECT max(local_date) AS day FROM habit_logs WHERE user_id = $1 AND habit_id = h.id
  ) AS l WHERE h.user_id = $1`;

export type Schedule = Pick<StoredHabit, 'cadence' | 'targetPerWeek' | 'targetDaysMask'>;
export type Start = Pick<StoredHabit, 'startDate' | 'startDay' | 'startGiven'>;

const EVERY_DAY = 0b1111111;

/**
 * The schedule of a new habit. A mask makes it, with as many sessions a week as it has days, unless a target is given too,
 * which is then only shown. Without one the target does; without both it is every day, or once a week for WEEKLY.
 */
export function scheduleOf({ cadence = 'DAILY', targetPerWeek, targetDaysMask }: Partial<Schedule>): Schedule {
  const usual = cadence === 'WEEKLY' ? 1 : 7;
  const target = targetPerWeek ?? (targetDaysMask ? targetDaysMask.toString(2).replaceAll('0', '').length : usual);
  return { cadence, targetPerWeek: target, targetDaysMask: targetDaysMask ?? (target === 7 ? EVERY_DAY : 0) };
}

/**
 * The schedule after a change: what is given makes a new one, as at creation. Taking the fixed days away alone leaves the
 * number of sessions as it was.
 */
export function changedSchedule(stored: Schedule, given: Partial<Schedule>): Schedule {
  const { cadence = stored.cadence, targetDaysMask } = given;
  if (cadence === stored.cadence && given.targetPerWeek === undefined && targetDaysMask === undefined) {
    return { cadence, targetPerWeek: stored.targetPerWeek, targetDaysMask: stored.targetDaysMask };
  }
  const kept = targetDaysMask === 0 ? stored.targetPerWeek : undefined;
  return scheduleOf({ cadence, targetPerWeek: given.targetPerWeek ?? kept, targetDaysMask });
}

const EARLIEST_START = Date.UTC(2000, 0, 1);
const END_OF_STARTS = Date.UTC(2100, 0, 1);

/**
 * Where the history of a habit begins: on the local day of a start that the person gave, else at its first log, at the
 * latest when it was created.
 * @throws ValidationFailed
 */
export function startOf(given: string | null | undefined, createdAt: Date, rule: DayRule): Start {
  const text = given ?? createdAt.toISOString();
  const startDate = new Date(text);
  const ms = startDate.getTime();
  if (ms < EARLIEST_START || ms >= END_OF_STARTS) {
    throw new ValidationFailed([{ path: '/startDate', code: 'out_of_range', message: 'must be from 2000 to 2099' }]);
  }
  return { startDate, startDay: localDayOf(text, rule), startGiven: typeof given === 'string' };
}

/** Archived ones included, on every plan. */
const MAX_HABITS = 500;

export interface HabitCounts {
  active: number;
  all: number;
  /** End of the access to Premium, as it is behind the lock; null without any. */
  accessUntil: Date | null;
}

/**
 * In SQL: counts, and the plan behind the same lock.
 * @param tx has locked the row of the user
 */
export async function countHabits(tx: EntityManager, userId: string): Promise<HabitCounts> {
  const [counts] = await tx.query<[HabitCounts]>(
    `SELECT count(*) FILTER (WHERE archived_at IS NULL)::int AS active, count(*)::int AS all,
       (SELECT ${ACCESS_UNTIL} FROM entitlements e WHERE e.user_id = $1) AS "accessUntil"
     FROM habits WHERE user_id = $1`,
    [userId],
  );
  return counts;
}

/** @throws ValidationFailed when nobody may have one more */
export function assertRoomForHabit({ all }: HabitCounts): void {
  if (all < MAX_HABITS) return;
  const message = `would be more than the ${MAX_HABITS} habits that one person may have`;
  throw new ValidationFailed([{ path: '', code: 'too_many_items', message }]);
}

/** @throws QuotaExceeded when the plan does not allow one more */
export function assertMayBeActive({ active, accessUntil }: HabitCounts, now: Date): void {
  const { maxHabits } = limitsAt(accessUntil, now);
  if (maxHabits !== null && active >= maxHabits) throw QuotaExceeded.ofHabits(active, maxHabits);
}

/**
 * The active habits of user `$1`, `isWritable` for those that take logs, and how many they are. Above the cap `$2` of the plan
 * (null: none) the habits that keep taking logs are those whose newest log arrived last, then the older ones; only then
 * is it looked for.
 */
export const WRITABLE_HABITS = `
  SELECT a.id, a.active, $2::int IS NULL OR a.active <= $2 OR row_number() OVER (
    ORDER BY CASE WHEN a.active > $2 THEN (
      SELECT max(created_at) FROM habit_logs WHERE user_id = $1 AND habit_id = a.id
    ) END DESC NULLS LAST, a.created_at, a.id
  ) <= $2 AS "isWritable"
  FROM (
    SELECT id, created_at, count(*) OVER ()::int AS active FROM habits WHERE user_id = $1 AND archived_at IS NULL
  ) AS a`;

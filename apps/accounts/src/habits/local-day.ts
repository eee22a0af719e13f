import { localDate } from '@evenkeel/kernel';
import { civilDate, dayNumber } from '@evenkeel/scoring';
import type { EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';

/** Where the days of a person begin. */
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

/** One look into the index for each habit. */
const NEWEST_DAY = `
  SELECT max(l.day)::text AS day FROM habits h CROSS JOIN LATERAL (
    SELECT max(local_date) AS day FROM habit_logs WHERE user_id = $1 AND habit_id = h.id
  ) AS l WHERE h.user_id = $1`;

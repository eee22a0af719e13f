import type { SignedIn } from '@evenkeel/platform/auth';

export const WEEK_STARTS = ['MONDAY', 'SUNDAY', 'SATURDAY'] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** The signed-in person of a request, from one statement over session, user and entitlement. */
export interface AccountUser extends SignedIn {
  email: string;
  displayName: string | null;
  emailVerified: boolean;
  passwordBreached: boolean;
  timezone: string | null;
  locale: string;
  dayStartMinutes: number;
  weekStart: WeekStart;
  /** As in answers. */
  createdAt: string;
  /** When they gave their password. */
  signedInAt: Date;
  /** End of their access to Premium; null without any, `OPEN_END` without an end. */
  accessUntil: Date | null;
}

/** Access without an end, as `infinity` comes out of the database. */
export const OPEN_END = new Date('9999-12-31T00:00:00Z');

/** Of `entitlements`; `e` in FROM. */
export const ACCESS_UNTIL = `CASE WHEN e.access_until = 'infinity' THEN '${OPEN_END.toISOString()}' ELSE e.access_until END`;

/** As JavaScript writes an instant: V8 would read it and write it again for every request. */
const CREATED_AT = `to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Columns of an `AccountUser` without its session; `u` and `e` in FROM. Readers of arrays rely on their order. */
export const USER_COLUMNS: Readonly<Record<keyof Omit<AccountUser, 'sessionId' | 'signedInAt'>, string>> = {
  userId: 'u.id',
  email: 'u.email',
  displayName: 'u.display_name',
  emailVerified: 'u.email_verified_at IS NOT NULL',
  passwordBreached: 'u.password_breached',
  timezone: 'u.timezone',
  locale: 'u.locale',
  dayStartMinutes: 'u.day_start_minutes',
  weekStart: 'u.week_start',
  createdAt: CREATED_AT,
  accessUntil: ACCESS_UNTIL,
};

import type { SignedIn } from '@evenkeel/platform/auth';

export const WEEK_STARTS = ['MONDAY', 'SUNDAY', 'SATURDAY'] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** What every request of a signed-in person knows of them, from one statement over session, user and entitlement. */
export interface AccountUser extends SignedIn {
  email: string;
  displayName: string | null;
  emailVerified: boolean;
  passwordBreached: boolean;
  timezone: string | null;
  locale: string;
  dayStartMinutes: number;
  weekStart: WeekStart;
  createdAt: Date;
  /** When they gave their password. */
  signedInAt: Date;
  /** End of their access to Premium; null without any, `OPEN_END` without an end. */
  accessUntil: Date | null;
}

/** Access without an end, as `infinity` comes out of the database. */
export const OPEN_END = new Date('9999-12-31T00:00:00Z');

/** The column of `entitlements` as `accessUntil`; `e` in FROM. */
export const ACCESS_UNTIL = `
  CASE WHEN e.access_until = 'infinity' THEN '${OPEN_END.toISOString()}' ELSE e.access_until END AS "accessUntil"`;

/** Columns of `users` and `entitlements` as an `AccountUser` without its session; `u` and `e` in FROM. */
export const USER_COLUMNS = `
  u.id AS "userId", u.email, u.display_name AS "displayName", u.email_verified_at IS NOT NULL AS "emailVerified",
  u.password_breached AS "passwordBreached", u.timezone, u.locale, u.day_start_minutes AS "dayStartMinutes",
  u.week_start AS "weekStart", u.created_at AS "createdAt", ${ACCESS_UNTIL}`;

import { TIERS, type Tier } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { type SignedIn, LiveSessions, type AccessClaims } from '@evenkeel/platform/auth';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { tierAt } from '../entitlements/plan-refusals';

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

/** Columns of an `AccountUser` without its session; `u` and `e` in FROM. */
export const USER_COLUMNS = `
  u.id AS "userId", u.email, u.display_name AS "displayName", u.email_verified_at IS NOT NULL AS "emailVerified",
  u.password_breached AS "passwordBreached", u.timezone, u.locale, u.day_start_minutes AS "dayStartMinutes",
  u.week_start AS "weekStart", ${CREATED_AT} AS "createdAt", ${ACCESS_UNTIL} AS "accessUntil"`;

/** The user in the answers to sign-in. */
export class UserView {
  @ApiProperty({ format: 'uuid' }) readonly id!: string;
  @ApiProperty({ description: 'As typed' }) readonly email!: string;
  @ApiProperty({ type: String, nullable: true }) readonly displayName!: string | null;
  @ApiProperty({ enum: TIERS }) readonly tier!: Tier;
  @ApiProperty() readonly emailVerified!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the IANA database; null until it is set' })
  readonly timezone!: string | null;
  @ApiProperty({ description: 'Stored for the app; changes nothing' }) readonly locale!: string;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
}

export function userView(user: Omit<AccountUser, 'sessionId' | 'signedInAt'>, now: Date): UserView {
  const { userId, email, displayName, emailVerified, timezone, locale, createdAt, accessUntil } = user;
  const tier = tierAt(accessUntil, now);
  return { id: userId, email, displayName, tier, emailVerified, timezone, locale, createdAt };
}

/** The members that `GET /v1/auth/me` adds. */
export class ProfileView extends UserView {
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'End of Premium; null without one' })
  readonly premiumUntil!: string | null;
  @ApiProperty({ format: 'uuid' }) readonly sessionId!: string;
  @ApiProperty({ description: 'Whether the password is on a list of published ones: choose another' })
  readonly passwordBreached!: boolean;
  @ApiProperty({ minimum: 0, maximum: 1_439, description: 'When a day begins for this person, after midnight' })
  readonly dayStartMinutes!: number;
  @ApiProperty({ enum: WEEK_STARTS }) readonly weekStart!: WeekStart;
}

export function profileView(user: AccountUser, now: Date): ProfileView {
  const { accessUntil, sessionId, passwordBreached, dayStartMinutes, weekStart } = user;
  const hasEnd = accessUntil !== null && accessUntil > now && accessUntil < OPEN_END;
  const premiumUntil = hasEnd ? accessUntil.toISOString() : null;
  // A member behind a spread takes V8 a microsecond, and this is what people ask for most.
  return Object.assign(userView(user, now), { premiumUntil, sessionId, passwordBreached, dayStartMinutes, weekStart });
}

const FIND = {
  name: 'live-sessions',
  text: `
    SELECT ${USER_COLUMNS}, s.id AS "sessionId", s.signed_in_at AS "signedInAt"
    FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN entitlements e ON e.user_id = u.id
    WHERE s.id = $1 AND s.revoked_at IS NULL AND s.expires_at > $2 AND u.deleted_at IS NULL`,
};

/** Session and user, read on every request by one prepared statement: nothing is cached, so a session that ends is over at once. */
@Injectable()
export class LiveAccountSessions extends LiveSessions<AccountUser> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  async find({ sub, sid }: AccessClaims): Promise<AccountUser | null> {
    const values = [sid, this.clock.now()];
    const [user] = (await poolOf(this.dataSource).query<AccountUser>({ ...FIND, values })).rows;
    return user?.userId === sub ? user : null;
  }
}

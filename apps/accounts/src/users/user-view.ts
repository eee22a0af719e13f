import { TIERS, type Tier } from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { tierAt } from '../entitlements/plan-refusals';
import { OPEN_END, WEEK_STARTS, type AccountUser, type WeekStart } from './account-user';

/** The user in the answers to sign-in. */
export class UserView {
  /** As it stands in the OpenAPI document. */
  static readonly example: UserView = {
    id: '019c1440-6a00-7000-8000-000000000000',
    email: 'ana@example.com',
    displayName: 'Ana',
    tier: 'FREE',
    emailVerified: false,
    timezone: 'Europe/Madrid',
    locale: 'en',
    createdAt: '2026-01-31T12:00:00.000Z',
  };

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

/** The user with the additions of `GET /v1/auth/me`. */
export class ProfileView extends UserView {
  static override readonly example: ProfileView = {
    ...UserView.example,
    premiumUntil: null,
    sessionId: '019c1440-6a01-7000-8000-000000000000',
    passwordBreached: false,
    dayStartMinutes: 0,
    weekStart: 'MONDAY',
  };

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

import { UPGRADE_PATHS, TIER_LIMITS, type Tier, type TierLimits } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';

/** Usage of a feature in a UTC month; a null limit is none. */
export interface MonthUsage {
  /** YYYY-MM */
  period: string;
  used: number;
  limit: number | null;
}

/** The headers of a metered answer, and of its refusal. Without a limit there is nothing to give for limit and rest. */
export function quotaHeaders({ period, used, limit }: MonthUsage): Record<string, string> {
  return {
    ...(limit !== null && { 'x-quota-limit': String(limit) }),
    'x-quota-used': String(used),
    ...(limit !== null && { 'x-quota-remaining': String(Math.max(0, limit - used)) }),
    'x-quota-period': period,
  };
}

/** The plan allows no more of it: this month, or at all (`period` null). */
export class QuotaExceeded extends DomainError {
  readonly kind = 'payment_required';
  readonly code = 'quota_exceeded';
  override readonly details: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;

  private constructor(message: string, details: object) {
    super(message);
    this.details = { ...details, ...UPGRADE_PATHS, payment_headers_accepted: false };
  }

  static ofAnalyses(usage: MonthUsage & { limit: number }): QuotaExceeded {
    const { used, limit, period } = usage;
    const details = { feature: 'analyses', used, limit, limit_kind: 'hard', period };
    const error = new QuotaExceeded(`The Free plan allows ${limit} analyses a calendar month (UTC).`, details);
    return Object.assign(error, { headers: quotaHeaders(usage) });
  }

  /** Also where one of them takes no logs. */
  static ofHabits(used: number, limit: number): QuotaExceeded {
    const details = { feature: 'active_habits', used, limit, limit_kind: 'hard', period: null };
    return new QuotaExceeded(`The Free plan allows ${limit} active habits.`, details);
  }
}

/** Only Premium has this feature. */
export class PremiumRequired extends DomainError {
  readonly kind = 'payment_required';
  readonly code = 'premium_required';
  override readonly details = { feature: 'habit_plans', required_tier: 'PREMIUM', ...UPGRADE_PATHS };

  constructor() {
    super('Plans are part of Premium. Upgrade to get one.');
  }
}

const WITHHELD = {
  mood_correlation: ['mood_correlation', 'energy_correlation', 'stress_correlation'],
  full_insight_history: ['insights'],
} as const;

/** The part that a Free answer does not have. It is always the same, so it reveals nothing. */
export class RedactedView {
  @ApiProperty({ type: [String], description: 'names of all that is withheld, whether or not there is any' })
  fields!: readonly string[];
  @ApiProperty({ enum: ['premium_required'] }) reason!: 'premium_required';
  @ApiProperty({ enum: Object.keys(WITHHELD) }) feature!: keyof typeof WITHHELD;
  @ApiProperty() upgrade_path!: string;
  @ApiProperty() plans_path!: string;

  static of(feature: keyof typeof WITHHELD): RedactedView {
    return { fields: WITHHELD[feature], reason: 'premium_required', feature, ...UPGRADE_PATHS };
  }
}

/**
 * The tier of a user at an instant: read from stored rows and the clock, never from a token.
 * @param accessUntil end of the access that billing gives; null without any
 */
export function tierAt(accessUntil: Date | null, now: Date): Tier {
  return accessUntil !== null && accessUntil > now ? 'PREMIUM' : 'FREE';
}

export function limitsAt(accessUntil: Date | null, now: Date): TierLimits {
  return TIER_LIMITS[tierAt(accessUntil, now)];
}

import {
  PAID_PLAN_CODES,
  SUBSCRIPTION_PROVIDERS,
  SUBSCRIPTION_STATUSES,
  TIER_LIMITS,
  TIERS,
  type PaidPlanCode,
  type SubscriptionState,
  type Tier,
} from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { scheduledEnd } from '../subscriptions/access';
import type { StoredSubscription } from '../subscriptions/publish-access';

const INSTANT = { nullable: true, type: String, format: 'date-time' } as const;
const LIMIT = { nullable: true, type: 'integer', description: 'null: without limit' } as const;

export class LimitsView {
  @ApiProperty(LIMIT) max_habits!: number | null;
  @ApiProperty(LIMIT) analyses_per_month!: number | null;
  @ApiProperty(LIMIT) insight_history!: number | null;
}

export class FeaturesView {
  @ApiProperty() habit_plans!: boolean;
  @ApiProperty() mood_correlation!: boolean;
  @ApiProperty() full_insight_history!: boolean;
}

export class SubscriptionView {
  @ApiProperty({ enum: SUBSCRIPTION_PROVIDERS }) provider!: SubscriptionState['provider'];
  @ApiProperty({ enum: PAID_PLAN_CODES, nullable: true }) plan_code!: PaidPlanCode | null;
  @ApiProperty({ enum: SUBSCRIPTION_STATUSES }) status!: SubscriptionState['status'];
  @ApiProperty(INSTANT) current_period_end!: string | null;
  @ApiProperty({ description: 'an end is scheduled; access continues until then' }) cancel_at_period_end!: boolean;
  @ApiProperty({ ...INSTANT, description: 'when it ends, once that is scheduled' }) cancel_at!: string | null;
  @ApiProperty({ ...INSTANT, description: 'end of access, while a payment or the news of one is late' })
  in_grace_until!: string | null;
  @ApiProperty({ ...INSTANT, description: 'when its trial ends, or ended' }) trial_end!: string | null;
  @ApiProperty({ ...INSTANT, description: 'since when a payment fails' }) past_due_since!: string | null;
  @ApiProperty({ nullable: true, type: String, format: 'uri', description: 'where an open invoice is paid' })
  payment_url!: string | null;
}

export class AnalysesUsageView {
  @ApiProperty({ type: 'integer' }) used!: number;
  @ApiProperty(LIMIT) limit!: number | null;
}

export class UsageView {
  @ApiProperty({ description: 'UTC month, `YYYY-MM`' }) period!: string;
  @ApiProperty() analyses!: AnalysesUsageView;
}

export class StateBillingView {
  @ApiProperty({ enum: ['stripe', 'none'], description: '`none`: no payment provider is configured' })
  provider!: 'stripe' | 'none';
}

/** The plan of somebody, until when, and their usage. */
export class BillingStateView {
  @ApiProperty({ enum: TIERS }) tier!: Tier;
  @ApiProperty({ ...INSTANT, description: 'end of access, grace included; null on Free and without an end' })
  premium_until!: string | null;
  @ApiProperty() limits!: LimitsView;
  @ApiProperty() features!: FeaturesView;
  @ApiProperty({ nullable: true, type: SubscriptionView, description: 'null for somebody who never subscribed' })
  subscription!: SubscriptionView | null;
  @ApiProperty() usage!: UsageView;
  @ApiProperty() billing!: StateBillingView;
}

/** The stored access of a user. */
export interface StoredAccess {
  subscriptions: readonly StoredSubscription[];
  /** When each grant that was not taken back ends; null: never. */
  grants: readonly (Date | null)[];
  /** Analyses in the present UTC month. */
  used: number;
}

const PLAN_VIEWS = { FREE: planView('FREE'), PREMIUM: planView('PREMIUM') };

function planView(tier: Tier): Pick<BillingStateView, 'limits' | 'features'> {
  const limits = TIER_LIMITS[tier];
  return {
    limits: {
      max_habits: limits.maxHabits,
      analyses_per_month: limits.analysesPerMonth,
      insight_history: limits.insightHistory,
    },
    features: {
      habit_plans: limits.habitPlans,
      mood_correlation: limits.moodCorrelation,
      full_insight_history: limits.fullInsightHistory,
    },
  };
}

/** The answer of `GET /v1/billing/me`: a function of stored rows and the time, so access ends without an event. */
export function billingStateOf(
  { subscriptions, grants, used }: StoredAccess,
  { now, provider }: { now: Date; provider: 'stripe' | 'none' },
): BillingStateView {
  const paid = subscriptions.filter(({ accessUntil }) => isLater(accessUntil, now)).sort(latestAccessFirst);
  const given = grants.filter((until) => until === null || until > now);
  const tier: Tier = paid.length + given.length > 0 ? 'PREMIUM' : 'FREE';
  const ends = [...paid.map(({ accessUntil }) => accessUntil), ...given];
  const { limits, features } = PLAN_VIEWS[tier];
  return {
    tier,
    premium_until: latestOf(ends)?.toISOString() ?? null,
    limits,
    features,
    subscription: shownOf(paid, given, subscriptions, now),
    usage: { period: periodOf(now), analyses: { used, limit: limits.analyses_per_month } },
    billing: { provider },
  };
}

/** The UTC month of an instant, `YYYY-MM`. */
export function periodOf(instant: Date): string {
  return `${instant.getUTCFullYear()}-${String(instant.getUTCMonth() + 1).padStart(2, '0')}`;
}

/** The one with the latest access; else a grant; else the last that there was. */
function shownOf(
  paid: readonly StoredSubscription[],
  given: readonly (Date | null)[],
  all: readonly StoredSubscription[],
  now: Date,
): SubscriptionView | null {
  if (paid[0]) return shown(paid[0], now);
  if (given.length > 0) return shownGrant(latestOf(given));
  const last = [...all].sort(newestFirst)[0];
  return last ? shown(last, now) : null;
}

function shown({ state, accessUntil }: StoredSubscription, now: Date): SubscriptionView {
  const { status, currentPeriodEnd, cancelAt, pastDueSince, paymentUrl } = state;
  // In the middle of the period that is paid an end is the end of that period too.
  const end = scheduledEnd(state)?.toISOString() ?? null;
  const isOverdue = currentPeriodEnd !== null && new Date(currentPeriodEnd) <= now;
  const isInGrace = isLater(accessUntil, now) && (status === 'PAST_DUE' || isOverdue);
  return {
    provider: 'STRIPE',
    plan_code: state.planCode,
    status,
    current_period_end: end ?? currentPeriodEnd,
    cancel_at_period_end: end !== null,
    cancel_at: end ?? cancelAt,
    in_grace_until: isInGrace ? accessUntil!.toISOString() : null,
    trial_end: state.trialEnd,
    past_due_since: pastDueSince,
    payment_url: paymentUrl,
  };
}

function shownGrant(until: Date | null): SubscriptionView {
  const end = until?.toISOString() ?? null;
  const scheduled = { current_period_end: end, cancel_at_period_end: end !== null, cancel_at: end };
  const nothing = { in_grace_until: null, trial_end: null, past_due_since: null, payment_url: null };
  return { provider: 'MANUAL', plan_code: null, status: 'ACTIVE', ...scheduled, ...nothing };
}

/** Null is later than all. */
function latestOf(ends: readonly (Date | null)[]): Date | null {
  if (ends.length === 0 || ends.includes(null)) return null;
  return new Date(Math.max(...ends.map((end) => end!.getTime())));
}

function isLater(end: Date | null, now: Date): boolean {
  return end !== null && end > now;
}

function latestAccessFirst(a: StoredSubscription, b: StoredSubscription): number {
  return b.accessUntil!.getTime() - a.accessUntil!.getTime() || newestFirst(a, b);
}

function newestFirst(a: StoredSubscription, b: StoredSubscription): number {
  return (b.state.startedAt ?? '').localeCompare(a.state.startedAt ?? '') || b.id.localeCompare(a.id);
}

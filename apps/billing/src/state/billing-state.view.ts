import {
  PAID_PLAN_CODES,
  SUBSCRIPTION_PROVIDERS,
  SUBSCRIPTION_STATUSES,
  TIERS,
  type PaidPlanCode,
  type SubscriptionState,
  type Tier,
} from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';

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

/** What somebody has, until when, and what they have used. */
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

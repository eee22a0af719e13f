import {
  featuresOf,
  PAID_PLAN_CODES,
  PLAN_CODES,
  PLAN_INTERVALS,
  PLANS,
  TIERS,
  type PaidPlanCode,
  type PlanCode,
  type PlanInterval,
  type Tier,
} from '@evenkeel/contracts';
import { ApiProperty } from '@nestjs/swagger';
import type { BillingConfig } from '../billing.config';

export class PlanPriceView {
  @ApiProperty({ type: 'integer', description: 'in the minor unit; this one is charged' }) amount_cents!: number;
  @ApiProperty({ description: 'decimal text' }) amount!: string;
  @ApiProperty({ description: 'ISO 4217' }) currency!: string;
  @ApiProperty({ description: 'as people read it' }) display!: string;
}

export class CataloguePlanView {
  @ApiProperty({ enum: PLAN_CODES }) code!: PlanCode;
  @ApiProperty() name!: string;
  @ApiProperty({ enum: TIERS }) tier!: Tier;
  @ApiProperty({ enum: PLAN_INTERVALS, nullable: true, description: 'null: nothing is ever due' })
  interval!: PlanInterval | null;
  @ApiProperty() price!: PlanPriceView;
  @ApiProperty({ description: 'false: checkout answers 501, or 400 for the free plan' }) purchasable!: boolean;
  @ApiProperty({ type: [String] }) features!: string[];
}

export class CatalogueBillingView {
  @ApiProperty({ enum: ['stripe', 'none'], description: '`none`: no payment provider is configured' })
  provider!: 'stripe' | 'none';
  @ApiProperty({ description: 'whether any plan has a price at the provider' }) configured!: boolean;
}

/** The plans, with their prices. */
export class PlanCatalogueView {
  @ApiProperty({ description: 'ISO 4217' }) currency!: string;
  @ApiProperty({ type: [CataloguePlanView] }) plans!: CataloguePlanView[];
  @ApiProperty() billing!: CatalogueBillingView;
}

/** All prices are in it, here and at the provider. */
export const CURRENCY = 'USD';

/** The plans that the settings let people buy: there is a key, and a price for the plan. */
export function configuredPlans({ STRIPE_SECRET_KEY, prices }: BillingConfig): ReadonlySet<PaidPlanCode> {
  return new Set(STRIPE_SECRET_KEY === undefined ? [] : PAID_PLAN_CODES.filter((plan) => prices[plan] !== undefined));
}

/** Every plan, whether it can be bought or not. */
export function catalogueOf(config: BillingConfig, purchasable: ReadonlySet<string>): PlanCatalogueView {
  return {
    currency: CURRENCY,
    plans: PLAN_CODES.map((code) => planOf(code, config, purchasable.has(code))),
    billing: { provider: providerOf(config), configured: configuredPlans(config).size > 0 },
  };
}

/** Who takes the payments. */
export function providerOf({ STRIPE_SECRET_KEY }: Pick<BillingConfig, 'STRIPE_SECRET_KEY'>): 'stripe' | 'none' {
  return STRIPE_SECRET_KEY === undefined ? 'none' : 'stripe';
}

/** Cents as a decimal text. */
export function decimalOf(cents: number): string {
  return (cents / 100).toFixed(2);
}

function planOf(code: PlanCode, { priceCents }: BillingConfig, purchasable: boolean): CataloguePlanView {
  const { name, tier, interval } = PLANS[code];
  const cents = code === 'free' ? 0 : priceCents[code];
  const display = interval === null ? 'Free' : `$${decimalOf(cents)} / ${interval}`;
  return {
    code,
    name,
    tier,
    interval,
    price: { amount_cents: cents, amount: decimalOf(cents), currency: CURRENCY, display },
    purchasable,
    features: featuresOf(tier),
  };
}

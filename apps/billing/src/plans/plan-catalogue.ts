import {
  featuresOf,
  PAID_PLAN_CODES,
  PLAN_CODES,
  PLANS,
  type PaidPlanCode,
  type PlanCode,
  type PlanInterval,
} from '@evenkeel/contracts';
import type { BillingConfig } from '../billing.config';
import type { PlanCatalogueView, CataloguePlanView } from './plan-catalogue.view';

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
  return {
    ...{ code, name, tier, interval },
    price: {
      amount_cents: cents,
      amount: decimalOf(cents),
      currency: CURRENCY,
      display: displayOf(cents, interval),
    },
    purchasable,
    features: featuresOf(tier),
  };
}

function displayOf(cents: number, interval: PlanInterval | null): string {
  return interval === null ? 'Free' : `$${decimalOf(cents)} / ${interval}`;
}

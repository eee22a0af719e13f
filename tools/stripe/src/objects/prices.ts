import type Stripe from 'stripe';

/** Something that is sold. */
export function aProduct(id: string, name: string, created: number): Stripe.Product {
  return {
    id,
    object: 'product',
    active: true,
    created,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    type: 'service',
    unit_label: null,
    updated: created,
    url: null,
  };
}

export interface NewPrice {
  id: string;
  product: string;
  nickname: string;
  interval: Stripe.Price.Recurring.Interval;
  intervalCount?: number;
  currency?: string;
  /** In the smallest unit of the currency. */
  amountCents: number;
  created: number;
}

export function aPrice({
  id,
  product,
  nickname,
  interval,
  intervalCount = 1,
  currency = 'usd',
  amountCents,
  created,
}: NewPrice): Stripe.Price {
  return {
    id,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created,
    currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname,
    product,
    recurring: {
      interval,
      interval_count: intervalCount,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: amountCents,
    unit_amount_decimal: decimal(amountCents),
  };
}

/** On the wire a decimal is text; the client makes its own class of it. */
export function decimal(amountCents: number): Stripe.Decimal {
  return String(amountCents) as unknown as Stripe.Decimal;
}

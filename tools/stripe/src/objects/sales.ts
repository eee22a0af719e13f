import type Stripe from 'stripe';
import { anObject } from '../schema/published';
import { newId } from '../world/ids';

export interface NewPrice {
  id?: string;
  product: string;
  nickname: string;
  interval: Stripe.Price.Recurring.Interval;
  intervalCount?: number;
  currency?: string;
  /** In the smallest unit of the currency. */
  amountCents: number;
  created: number;
}

export function aPrice({ intervalCount = 1, currency = 'usd', ...wanted }: NewPrice): Stripe.Price {
  const { id = newId('price'), product, nickname, interval, amountCents, created } = wanted;
  return anObject('price', {
    id,
    product,
    nickname,
    currency,
    created,
    active: true,
    type: 'recurring',
    unit_amount: amountCents,
    recurring: anObject('recurring', { interval, interval_count: intervalCount, usage_type: 'licensed' }),
    unit_amount_decimal: decimal(amountCents),
  });
}

/** On the wire a decimal is text; the client makes its own class of it. */
export function decimal(amount: number): Stripe.Decimal {
  return String(amount) as unknown as Stripe.Decimal;
}

export function aCustomer(created: number, wanted: Partial<Stripe.Customer>): Stripe.Customer {
  const invoicing = { invoice_prefix: newId('', 8).slice(1).toUpperCase(), next_invoice_sequence: 1 };
  return anObject('customer', { id: newId('cus', 14), balance: 0, created, metadata: {}, ...invoicing, ...wanted });
}

export interface Period {
  start: number;
  end: number;
}

export interface NewSubscription {
  customer: string;
  /** One item for each. */
  prices: readonly { price: Stripe.Price; period: Period }[];
  created: number;
  isTrial: boolean;
  metadata: Stripe.Metadata;
}

/** A subscription whose first invoice is not paid yet, or in its trial. */
export function aSubscription(wanted: NewSubscription): Stripe.Subscription {
  const { created, customer, isTrial, metadata, prices } = wanted;
  const id = newId('sub');
  const { end } = prices[0]!.period;
  return anObject('subscription', {
    id,
    created,
    start_date: created,
    customer,
    metadata,
    currency: prices[0]!.price.currency,
    billing_cycle_anchor: isTrial ? end : created,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: created },
    cancellation_details: anObject('cancellation_details', {}),
    items: {
      object: 'list',
      data: prices.map(({ price, period }) => anItem(id, created, price, period)),
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    ...(isTrial ? { status: 'trialing', trial_start: created, trial_end: end } : { status: 'incomplete' }),
  });
}

function anItem(subscription: string, created: number, price: Stripe.Price, period: Period): Stripe.SubscriptionItem {
  return anObject('subscription_item', {
    id: newId('si', 14),
    created,
    subscription,
    quantity: 1,
    price,
    current_period_start: period.start,
    current_period_end: period.end,
  });
}

/** Ended for good: only its metadata can change. */
export function isOver({ status }: Pick<Stripe.Subscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** Its first item: we sell one plan at a time, and others may sell more. */
export function itemOf(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  return subscription.items.data[0]!;
}

/** Items with another price or period, as a value for a change. */
export function itemsWith(
  subscription: Stripe.Subscription,
  { price = itemOf(subscription).price, period }: { price?: Stripe.Price; period?: Period },
): Stripe.Subscription['items'] {
  const item: Stripe.SubscriptionItem = { ...itemOf(subscription), price };
  if (period) Object.assign(item, { current_period_start: period.start, current_period_end: period.end });
  return { ...subscription.items, data: [item, ...subscription.items.data.slice(1)] };
}

/** How much less: a share, or cents. */
export type Reduction = { percentOff: number } | { amountOffCents: number };

/** For how long, and on which products; by default for good and on all. */
export interface Term {
  duration?: 'forever' | 'once';
  /** Instead of a duration: it repeats for so long. */
  months?: number;
  products?: readonly string[];
}

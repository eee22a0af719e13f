import type Stripe from 'stripe';
import { newId } from '../world/ids';

export interface Period {
  start: number;
  end: number;
}

export interface NewSubscription {
  customer: string;
  price: Stripe.Price;
  quantity: number;
  created: number;
  period: Period;
  trial: boolean;
  paymentMethod: string | null;
  metadata: Stripe.Metadata;
}

/** Ended for good: only its metadata can change. */
export function isOver({ status }: Pick<Stripe.Subscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}

/** A subscription of one item whose first invoice is not paid yet, or in its trial. */
export function aSubscription(wanted: NewSubscription): Stripe.Subscription {
  const { created, period, price } = wanted;
  const id = newId('sub');
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: wanted.trial ? period.end : created,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: created },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created,
    currency: price.currency,
    customer: wanted.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: wanted.paymentMethod,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: [aSubscriptionItem(id, price, wanted.quantity, created, period)],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: wanted.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: created,
    status: wanted.trial ? 'trialing' : 'incomplete',
    test_clock: null,
    transfer_data: null,
    trial_end: wanted.trial ? period.end : null,
    trial_settings: { end_behavior: { missing_payment_method: 'create_invoice' } },
    trial_start: wanted.trial ? created : null,
  };
}

export function aSubscriptionItem(
  subscription: string,
  price: Stripe.Price,
  quantity: number,
  created: number,
  period: Period,
): Stripe.SubscriptionItem {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created,
    current_period_end: period.end,
    current_period_start: period.start,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** The older form of a price, which items still carry. */
export function planOf(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: price.recurring!.interval,
    interval_count: price.recurring!.interval_count,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
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
  const item: Stripe.SubscriptionItem = { ...itemOf(subscription), price, plan: planOf(price) };
  if (period) Object.assign(item, { current_period_start: period.start, current_period_end: period.end });
  return { ...subscription.items, data: [item, ...subscription.items.data.slice(1)] };
}

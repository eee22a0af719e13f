import { randomUUID } from 'node:crypto';
import type { Reply } from '@evenkeel/platform/testing/service';
import { signWebhook } from '@evenkeel/stripe';
import type { Billing } from '../billing.fixture';

export const SECRET = 'whsec_current_secret';
export const PREVIOUS = 'whsec_previous_secret';
export const WEBHOOK_SETTINGS = {
  STRIPE_WEBHOOK_SECRET: SECRET,
  STRIPE_PRICE_MONTHLY: 'price_month',
  STRIPE_PRICE_YEARLY: 'price_year',
};

export type Shape = 'new' | 'old';
export type Values = Record<string, unknown>;
export type EventOf = Values & { id: string; type: string; created: number };

const seconds = (at: Date | string) => Math.floor(new Date(at).getTime() / 1_000);
let made = 0;

/** An event of the provider, as far as it is read, with members that must leave no trace. */
export function anEvent(type: string, at: Date | string, object: Values, over: Values = {}): EventOf {
  const event = { id: `evt_${++made}_${randomUUID().slice(0, 8)}`, object: 'event', type, created: seconds(at) };
  return { ...event, livemode: false, api_version: '2026-08-26.dahlia', data: { object }, ...over };
}

export interface SubscriptionSaid {
  id: string;
  customer: string | null;
  userId?: string;
  status?: string;
  price?: 'price_month' | 'price_year' | 'price_other';
  periodEnd?: string;
  over?: Values;
}

export function subscriptionObject(said: SubscriptionSaid, shape: Shape = 'new'): Values {
  const { id, customer, userId, status = 'active', price = 'price_month', over = {} } = said;
  const end = { current_period_end: seconds(said.periodEnd ?? '2026-02-28T12:00:00Z') };
  const recurring = { interval: price === 'price_year' ? 'year' : 'month', interval_count: 1 };
  const unit_amount = price === 'price_year' ? 5_999 : 799;
  const item = { id: 'si_1', quantity: 1, price: { id: price, unit_amount, currency: 'usd', recurring } };
  return {
    id,
    object: 'subscription',
    customer,
    status,
    currency: 'usd',
    start_date: seconds('2026-01-31T12:00:00Z'),
    cancel_at: null,
    cancel_at_period_end: false,
    trial_end: null,
    pause_collection: null,
    discounts: [],
    metadata: userId === undefined ? {} : { user_id: userId, plan_code: 'premium_monthly' },
    items: { object: 'list', data: [{ ...item, ...(shape === 'new' && end) }] },
    ...(shape === 'old' && { ...end, discount: null }),
    default_payment_method: 'pm_trace',
    ...over,
  };
}

export interface InvoiceSaid {
  id: string;
  customer: string | null;
  subscription?: string;
  userId?: string;
  amountCents?: number;
  periodEnd?: string;
  over?: Values;
}

export function invoiceObject(said: InvoiceSaid, shape: Shape = 'new'): Values {
  const { id, customer, subscription = null, userId, amountCents = 799, periodEnd = '2026-02-28T12:00:00Z' } = said;
  const details = { subscription, metadata: userId === undefined ? {} : { user_id: userId } };
  const period = { start: seconds('2026-01-31T12:00:00Z'), end: seconds(periodEnd) };
  const line =
    shape === 'new'
      ? {
          parent: { subscription_item_details: { proration: false } },
          pricing: { price_details: { price: 'price_month' } },
        }
      : { proration: false, price: { id: 'price_month' } };
  return {
    id,
    object: 'invoice',
    customer,
    currency: 'usd',
    amount_paid: amountCents,
    billing_reason: 'subscription_cycle',
    lines: { object: 'list', data: [{ id: 'il_1', period, ...line }] },
    status_transitions: { paid_at: null, finalized_at: null },
    hosted_invoice_url: `https://pay.example/${id}`,
    ...(shape === 'new' ? { parent: { subscription_details: details }, total_taxes: [{ amount: 99 }] } : {}),
    ...(shape === 'old' && { subscription, subscription_details: { metadata: details.metadata }, tax: 99 }),
    customer_email: 'trace@example.org',
    customer_name: 'Trace Person',
    customer_phone: 'Trace phone',
    payment_method_details: { card: { last4: 'Trace card', fingerprint: 'Trace card' } },
    customer_address: { line1: 'Trace Street 1' },
    ...said.over,
  };
}

export function sessionObject(said: Values & { subscription: string | null; userId: string }): Values {
  const { userId, ...rest } = said;
  return {
    id: 'cs_test_1',
    object: 'checkout.session',
    mode: 'subscription',
    customer: null,
    client_reference_id: userId,
    payment_status: 'paid',
    status: 'complete',
    amount_subtotal: 799,
    amount_total: 799,
    metadata: { user_id: userId, plan_code: 'premium_monthly' },
    customer_details: { email: 'trace@example.org', name: 'Trace Person', address: { line1: 'Trace Street 1' } },
    ...rest,
  };
}

/** The signature of the provider. */
export function signed(body: string | Uint8Array, at: Date, secret = SECRET): string {
  return signWebhook(body, secret, at);
}

/** Sends an event as the provider does. */
export function sendEvent(billing: Billing, event: object, secret = SECRET): Promise<Reply> {
  const body = JSON.stringify(event);
  return sendSigned(billing, body, signed(body, billing.clock.now(), secret));
}

export function sendSigned(
  billing: Billing,
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | null,
  provider = 'stripe',
): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...(signature !== null && { 'stripe-signature': signature }) };
  return billing.send(`/v1/billing/webhook/${provider}`, { method: 'POST', body, headers });
}

/** The row of a subscription. */
export async function subscriptionRow(billing: Billing, id: string) {
  const [row] = await billing.database.dataSource.query<
    { state: Values; user_id: string | null; status: string; access_until: Date | null; folded_events: number }[]
  >('SELECT state, user_id, status, access_until, folded_events FROM subscriptions WHERE subscription_id = $1', [id]);
  return row ?? null;
}

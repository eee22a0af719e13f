import type Stripe from 'stripe';
import { aCustomer } from '../objects/customers';
import { aSubscription, aSubscriptionItem, type Period } from '../objects/subscriptions';
import { copyOf } from '../world/ids';
import type { Card, World } from '../world/world';
import { payInvoice } from './collecting';
import { endWithPeriod } from './ending';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { periodAt } from './periods';

/** What an operator of the account, or another program of it, sells without a page. */
export interface SoldByHand {
  /** A customer who is there; else a new one. */
  customer?: string;
  prices: readonly string[];
  metadata?: Stripe.Metadata;
}

/** A subscription of any prices, one item for each, collected at once. */
export function sellByHand(world: World, { customer, prices, metadata = {} }: SoldByHand): Stripe.Subscription {
  const now = world.time.seconds;
  if (customer !== undefined && !world.customers.has(customer)) throw new Error(`${customer} was deleted.`);
  const id = customer ?? newCustomer(world, metadata).id;
  const [first, ...more] = prices.map((price) => world.prices.get(price)!);
  const period = periodAt(now, first!, now);
  const wanted = { customer: id, price: first!, quantity: 1, created: now, period, trial: false };
  const subscription = aSubscription({ ...wanted, paymentMethod: null, metadata });
  for (const price of more) {
    subscription.items.data.push(aSubscriptionItem(subscription.id, price, 1, now, periodAt(now, price, now)));
  }
  world.add(world.subscriptions, subscription, 'customer.subscription.created');
  const lines = subscription.items.data.map((item) =>
    periodLine(item.price, 1, { start: item.current_period_start, end: item.current_period_end }),
  );
  const reason = 'subscription_create';
  const invoice = draftInvoice(world, subscription, { reason, lines, period: { start: now, end: now } });
  finalizeInvoice(world, invoice);
  payInvoice(world, invoice);
  return subscription;
}

function newCustomer(world: World, metadata: Stripe.Metadata): Stripe.Customer {
  const wanted = { email: null, name: null, description: null, metadata };
  return world.add(world.customers, aCustomer(world.time.seconds, wanted), 'customer.created');
}

/** An invoice of an amount that no period has, and the try to collect it. */
export function invoiceByHand(
  world: World,
  subscription: Stripe.Subscription,
  { amountCents, card }: { amountCents: number; card: Card },
): Stripe.Invoice {
  const period = periodOf(subscription);
  const invoice = draftInvoice(world, subscription, {
    ...{ reason: 'manual', period },
    lines: [lineBesides(subscription, { amountCents, period })],
  });
  finalizeInvoice(world, invoice);
  const before = world.cards.get(subscription.customer as string) ?? 'good';
  world.cards.set(subscription.customer as string, card);
  payInvoice(world, invoice);
  world.cards.set(subscription.customer as string, before);
  return invoice;
}

/** Puts an amount on the next invoice, for whatever time. */
export function addAmount(
  world: World,
  subscription: Stripe.Subscription,
  wanted: { amountCents: number; period: Period },
): void {
  const waiting = world.pendingLines.get(subscription.id) ?? [];
  world.pendingLines.set(subscription.id, [...waiting, lineBesides(subscription, wanted)]);
}

function lineBesides(
  subscription: Stripe.Subscription,
  { amountCents, period }: { amountCents: number; period: Period },
) {
  const { price } = subscription.items.data[0]!;
  return { amountCents, description: 'Setup', period, price, quantity: 1, proration: false, isBesides: true };
}

/** A trial for a subscription of whatever status that has not ended: nothing is due until then. */
export function giveTrial(world: World, subscription: Stripe.Subscription, until: number): void {
  const old = copyOf(subscription);
  const now = world.time.seconds;
  for (const item of subscription.items.data) {
    Object.assign(item, { current_period_start: now, current_period_end: until });
  }
  const trial = { trial_start: now, trial_end: until, billing_cycle_anchor: until };
  Object.assign(subscription, { ...trial, ...endWithPeriod(subscription, until), status: 'trialing' });
  // An invoice of nothing, which takes the place of one that waits to be paid.
  const period = periodOf(subscription);
  const { price } = subscription.items.data[0]!;
  const line = { ...periodLine(price, 1, period), amountCents: 0 };
  const invoice = draftInvoice(world, subscription, { reason: 'subscription_update', lines: [line], period });
  finalizeInvoice(world, invoice);
  payInvoice(world, invoice);
  world.events.record('customer.subscription.updated', subscription, old);
}

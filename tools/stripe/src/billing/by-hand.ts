import type Stripe from 'stripe';
import type { NewLine } from '../objects/money';
import { aSubscription, type Period } from '../objects/sales';
import { copyOf } from '../world/ids';
import type { Card, World } from '../world/world';
import { firstInvoice } from './checkout';
import { payInvoice } from './collecting';
import { endWithPeriod } from './ending';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { periodAt } from './periods';

/** Sales without a page, by an operator of the account or another program. */
export interface SoldByHand {
  /** A customer who is there; else a new one. */
  customer?: string;
  prices: readonly string[];
  metadata?: Stripe.Metadata;
}

/** A subscription of any prices, one item for each, collected at once. */
export function sellByHand(world: World, { customer, prices, metadata = {} }: SoldByHand): Stripe.Subscription {
  const created = world.time.seconds;
  if (customer !== undefined && !world.customers.has(customer)) throw new Error(`${customer} was deleted.`);
  const sold = prices.map((id) => {
    const price = world.prices.get(id)!;
    return { price, period: periodAt(created, price, created) };
  });
  const id = customer ?? world.newCustomer(metadata).id;
  const subscription = aSubscription({ customer: id, prices: sold, created, isTrial: false, metadata });
  world.add(world.subscriptions, subscription, 'customer.subscription.created');
  payInvoice(world, firstInvoice(world, subscription));
  return subscription;
}

/** An invoice of an amount that no period has, and the try to collect it. */
export function invoiceByHand(
  world: World,
  subscription: Stripe.Subscription,
  { amountCents, card }: { amountCents: number; card: Card },
): Stripe.Invoice {
  const period = periodOf(subscription);
  const lines = [lineBesides(subscription, amountCents, period)];
  const invoice = finalizeInvoice(world, draftInvoice(world, subscription, { reason: 'manual', lines, period }));
  const customer = subscription.customer as string;
  const before = world.cards.get(customer) ?? 'good';
  world.cards.set(customer, card);
  payInvoice(world, invoice);
  world.cards.set(customer, before);
  return invoice;
}

/** Of no item of the subscription. */
export function lineBesides({ items }: Stripe.Subscription, amountCents: number, period: Period): NewLine {
  return { amountCents, description: 'Setup', period, price: items.data[0]!.price, isBesides: true };
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
  // An invoice of nothing, which takes over from one that waits to be paid.
  const period = periodOf(subscription);
  const lines = [{ ...periodLine(subscription.items.data[0]!.price, period), amountCents: 0 }];
  const draft = draftInvoice(world, subscription, { reason: 'subscription_update', lines, period });
  payInvoice(world, finalizeInvoice(world, draft));
  world.events.record('customer.subscription.updated', subscription, old);
}

import type Stripe from 'stripe';
import { itemOf, itemsWith } from '../objects/subscriptions';
import { copyOf } from '../world/copy';
import type { World } from '../world/world';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { payInvoice } from './paying';
import { periodAt } from './periods';

/** Goes on without being collected: its invoices are voided. */
export function pauseCollection(world: World, subscription: Stripe.Subscription): void {
  const pause_collection = { behavior: 'void' as const, resumes_at: null };
  world.change(subscription, 'customer.subscription.updated', { pause_collection });
}

export function resumeCollection(world: World, subscription: Stripe.Subscription): void {
  world.change(subscription, 'customer.subscription.updated', { pause_collection: null });
}

/** Stops altogether, as after a trial for which nobody gave a card. */
export function pauseSubscription(world: World, subscription: Stripe.Subscription): void {
  world.change(subscription, 'customer.subscription.updated', { status: 'paused' });
  world.tell('customer.subscription.paused', subscription);
}

/** Goes on with a new period, which is paid now. */
export function resumeSubscription(world: World, subscription: Stripe.Subscription): void {
  const now = world.time.seconds;
  const { price, quantity } = itemOf(subscription);
  const before = periodOf(subscription);
  const period = periodAt(now, price, now);
  const old = copyOf(subscription);
  Object.assign(subscription, {
    billing_cycle_anchor: now,
    items: itemsWith(subscription, { period }),
    status: 'active',
  });
  const lines = [periodLine(price, quantity!, period)];
  const invoice = draftInvoice(world, subscription, { reason: 'subscription_update', lines, period: before });
  finalizeInvoice(world, invoice);
  world.events.record('customer.subscription.updated', subscription, old);
  world.tell('customer.subscription.resumed', subscription);
  payInvoice(world, invoice);
}

import type Stripe from 'stripe';
import { itemOf, itemsWith } from '../objects/subscriptions';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';
import { payInvoice } from './collecting';
import { endWithPeriod } from './ending';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
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

/** Goes on with a new period once that is paid: until then it stays paused. */
export function resumeSubscription(world: World, subscription: Stripe.Subscription): void {
  const begun = world.invoices.get(world.pendingChanges.get(subscription.id)?.invoice ?? '');
  payInvoice(world, begun ?? invoiceOfResumption(world, subscription));
}

function invoiceOfResumption(world: World, subscription: Stripe.Subscription): Stripe.Invoice {
  const now = world.time.seconds;
  const { price, quantity } = itemOf(subscription);
  const period = periodAt(now, price, now);
  const lines = [periodLine(price, quantity!, period)];
  const reason = 'subscription_update';
  const invoice = draftInvoice(world, subscription, { reason, lines, period: periodOf(subscription) });
  finalizeInvoice(world, invoice);
  const apply = () => {
    const old = copyOf(subscription);
    const items = itemsWith(subscription, { period });
    const ends = endWithPeriod(subscription, period.end);
    Object.assign(subscription, { billing_cycle_anchor: now, items, ...ends, status: 'active' });
    world.events.record('customer.subscription.updated', subscription, old);
    world.tell('customer.subscription.resumed', subscription);
  };
  world.pendingChanges.set(subscription.id, { invoice: invoice.id, apply });
  return invoice;
}

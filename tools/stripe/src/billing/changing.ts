import type Stripe from 'stripe';
import { Refusal } from '../calls/call';
import { itemOf, itemsWith, type NewLine, periodLine, periodOf, totalOf } from '../world/objects';
import { periodAt } from '../world/stripe-time';
import type { World } from '../world/world';
import { isDeclined, payInvoice } from './collecting';
import { withDiscounts } from './discounting';
import { endWithPeriod } from './ending';
import { balanced, dueInvoice, linesOf } from './invoicing';

/** A change to another price. */
export interface PlanChange {
  changes: Partial<Stripe.Subscription>;
  /** Of an invoice that is due now; none where nothing is. */
  lines: NewLine[];
}

/** Unused time is given back and the new plan charged, to the second: a new period begins now. In a trial nothing is due. */
export function planChange(world: World, subscription: Stripe.Subscription, price: Stripe.Price): PlanChange {
  const at = world.time.seconds;
  const { price: old } = itemOf(subscription);
  if (price.id === old.id || subscription.status === 'trialing') {
    return { changes: { items: itemsWith(subscription, { price }) }, lines: [] };
  }
  const { start, end } = periodOf(subscription);
  const paid = totalOf([withDiscounts(world, subscription, periodLine(old, { start, end }))]);
  const unused = Math.round((paid * (end - at)) / (end - start));
  const period = periodAt(at, price, at);
  const items = itemsWith(subscription, { price, period });
  const description = `Unused time on ${old.nickname}`;
  return {
    changes: { billing_cycle_anchor: at, items, ...endWithPeriod(subscription, period.end) },
    lines: [
      { amountCents: -unused, description, period: { start: at, end }, price: old, proration: true },
      periodLine(price, period),
    ],
  };
}

/**
 * Applies a change of plan and collects what is due for it.
 * @param mayOwe whether it is past due when the card is declined; else nothing changes
 * @throws Refusal when the card is declined and nothing may change
 */
export function applyPlanChange(
  world: World,
  subscription: Stripe.Subscription,
  { changes, lines }: PlanChange,
  mayOwe: boolean,
): void {
  if (lines.length === 0) return world.change(subscription, 'customer.subscription.updated', changes);
  // Any card is good where nothing is due.
  const total = totalOf(linesOf(world, subscription, lines));
  const { due } = balanced(total, world.customerOf(subscription).balance);
  if (!mayOwe && due > 0 && isDeclined(world, subscription.customer)) {
    const declined = { code: 'card_declined', decline_code: 'generic_decline', message: 'Your card was declined.' };
    throw new Refusal(402, { type: 'card_error', ...declined });
  }
  const period = periodOf(subscription);
  Object.assign(subscription, changes);
  const invoice = dueInvoice(world, subscription, { reason: 'subscription_update', lines, period });
  world.record('customer.subscription.updated', subscription);
  payInvoice(world, invoice);
}

/** After a pause: goes on with a new period, which is paid now. */
export function resumeSubscription(world: World, subscription: Stripe.Subscription): void {
  if (isDeclined(world, subscription.customer)) throw new Error('It stays paused: the card was declined.');
  const before = periodOf(subscription);
  const { price } = itemOf(subscription);
  const now = world.time.seconds;
  const period = periodAt(now, price, now);
  Object.assign(subscription, {
    status: 'active',
    billing_cycle_anchor: now,
    items: itemsWith(subscription, { period }),
    ...endWithPeriod(subscription, period.end),
  });
  const wanted = { reason: 'subscription_update' as const, lines: [periodLine(price, period)], period: before };
  payInvoice(world, dueInvoice(world, subscription, wanted));
  world.record('customer.subscription.updated', subscription);
  world.record('customer.subscription.resumed', subscription);
}

/** A trial for a subscription of whatever status that has not ended: nothing is due until then. */
export function giveTrial(world: World, subscription: Stripe.Subscription, until: number): void {
  const now = world.time.seconds;
  for (const item of subscription.items.data) {
    Object.assign(item, { current_period_start: now, current_period_end: until });
  }
  const trial = { trial_start: now, trial_end: until, billing_cycle_anchor: until };
  Object.assign(subscription, { ...trial, ...endWithPeriod(subscription, until), status: 'trialing' });
  // An invoice of nothing, which takes over from one that waits to be paid.
  const period = { start: now, end: until };
  const lines = [{ ...periodLine(itemOf(subscription).price, period), amountCents: 0 }];
  payInvoice(world, dueInvoice(world, subscription, { reason: 'subscription_update', lines, period }));
  world.record('customer.subscription.updated', subscription);
}

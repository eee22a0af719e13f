import type Stripe from 'stripe';
import { aLine, balanced, dueInvoice, isDeclined, periodLine, totalOf } from './invoices';
import { type Period, periodAt } from './periods';
import { payInvoice, periodOf } from './subscriptions';
import { type Line, Refusal, type Subscription, type World } from './world';

/** A change of the price of the first item, with the lines of the invoice that is due for it now. */
export interface PlanChange {
  changes: Partial<Subscription>;
  lines: Line[];
}

/** Unused time is given back and the new plan charged, to the second: a new period begins now. In a trial nothing is due. */
export function planChange(world: World, subscription: Subscription, price: Stripe.Price): PlanChange {
  const [item, ...more] = subscription.items.data;
  const { price: old } = item!;
  if (price.id === old.id || subscription.status === 'trialing') {
    return { changes: { items: { ...subscription.items, data: [{ ...item!, price }, ...more] } }, lines: [] };
  }
  const at = world.seconds;
  const { start, end } = periodOf(subscription);
  const paid = totalOf([periodLine(world, subscription, old, { start, end })]);
  const unused = {
    amount: -Math.round((paid * (end - at)) / (end - start)),
    description: `Unused time on ${old.nickname}`,
    period: { start: at, end },
    price: old,
    isProration: true,
  };
  const period = periodAt(at, price, at);
  const lines = [aLine(world, subscription, unused), periodLine(world, subscription, price, period)];
  return { changes: newPeriod(subscription, period, { price }), lines };
}

/** A period of the first item that begins now. An end with the period moves to its end. */
function newPeriod(
  { cancel_at_period_end: endsWithPeriod, items }: Subscription,
  { start, end }: Period,
  changes: Partial<Stripe.SubscriptionItem> = {},
): Partial<Subscription> {
  const [first, ...more] = items.data;
  const item = { ...first!, ...changes, current_period_start: start, current_period_end: end };
  const isEnding = endsWithPeriod && { cancel_at: end };
  return { billing_cycle_anchor: start, items: { ...items, data: [item, ...more] }, ...isEnding };
}

/**
 * Applies a change of plan and collects what is due for it.
 * @param mayOwe whether it is past due when the card is declined; else nothing changes
 * @throws Refusal when the card is declined and nothing may change
 */
export function applyPlanChange(
  world: World,
  subscription: Subscription,
  { changes, lines }: PlanChange,
  mayOwe: boolean,
): void {
  if (lines.length === 0) return world.change(subscription, 'customer.subscription.updated', changes);
  const { balance, id } = world.customers.get(subscription.customer);
  const waiting = world.waitingLines.get(subscription.id) ?? [];
  // Any card is good where nothing is due.
  if (!mayOwe && balanced(totalOf([...waiting, ...lines]), balance).due > 0 && isDeclined(world, id)) {
    const declined = { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' };
    throw new Refusal('Your card was declined.', declined, 402);
  }
  const period = periodOf(subscription);
  Object.assign(subscription, changes);
  const invoice = dueInvoice(world, subscription, { reason: 'subscription_update', lines, period });
  world.record('customer.subscription.updated', subscription);
  payInvoice(world, invoice);
}

/** After a pause: goes on with a new period, which is paid now. */
export function resumeSubscription(world: World, subscription: Subscription): void {
  if (isDeclined(world, subscription.customer)) throw new Error('It stays paused: the card was declined.');
  const before = periodOf(subscription);
  const { price } = subscription.items.data[0]!;
  const period = periodAt(world.seconds, price, world.seconds);
  Object.assign(subscription, { status: 'active', ...newPeriod(subscription, period) });
  const lines = [periodLine(world, subscription, price, period)];
  payInvoice(world, dueInvoice(world, subscription, { reason: 'subscription_update', lines, period: before }));
  world.record('customer.subscription.updated', subscription);
  world.record('customer.subscription.resumed', subscription);
}

/** A trial for a subscription that has not ended: nothing is due until then. */
export function giveTrial(world: World, subscription: Subscription, end: number): void {
  const period = { start: world.seconds, end };
  for (const item of subscription.items.data) {
    Object.assign(item, { current_period_start: period.start, current_period_end: end });
  }
  const trial = { status: 'trialing', trial_start: period.start, trial_end: end };
  Object.assign(subscription, newPeriod(subscription, period), trial, { billing_cycle_anchor: end });
  // An invoice of nothing, which takes over from one that waits to be paid.
  const lines = [periodLine(world, subscription, subscription.items.data[0]!.price, period, 0)];
  payInvoice(world, dueInvoice(world, subscription, { reason: 'subscription_update', lines, period }));
  world.record('customer.subscription.updated', subscription);
}

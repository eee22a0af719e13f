import type Stripe from 'stripe';
import { aLine, balanced, dueInvoice, isDeclined, periodLine, totalOf } from './invoices';
import { type Period, periodAt } from './periods';
import { payInvoice, periodOf } from './subscriptions';
import { type Line, Refusal, type Subscription, type World } from './world';

/** A period that begins now, and the lines of the invoice that is due for it. */
interface Beginning {
  period: Period;
  lines: Line[];
}

/** Unused time is given back and the new plan charged, to the second. @returns undefined where nothing is due: in a trial */
export function planChange(world: World, one: Subscription, price: Stripe.Price): Beginning | undefined {
  const { price: old } = one.items.data[0]!;
  if (price.id === old.id || one.status === 'trialing') return undefined;
  const at = world.seconds;
  const { start, end } = periodOf(one);
  const paid = totalOf([periodLine(world, one, old, { start, end })]);
  const unused = {
    amount: -Math.round((paid * (end - at)) / (end - start)),
    description: `Unused time on ${old.nickname}`,
    period: { start: at, end },
    price: old,
    isProration: true,
  };
  const period = periodAt(at, price, at);
  return { period, lines: [aLine(world, one, unused), periodLine(world, one, price, period)] };
}

/** @param mayOwe whether it is past due when the card is declined; else nothing changes @throws Refusal */
export function changePlan(world: World, one: Subscription, price: Stripe.Price, mayOwe: boolean): void {
  const beginning = planChange(world, one, price);
  if (!beginning) {
    one.items.data[0]!.price = price;
    return world.record('customer.subscription.updated', one);
  }
  const { balance, id } = world.customers.get(one.customer);
  const lines = [...(world.waitingLines.get(one.id) ?? []), ...beginning.lines];
  // Any card is good where nothing is due.
  if (!mayOwe && balanced(totalOf(lines), balance).due > 0 && isDeclined(world, id)) {
    const declined = { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline' };
    throw new Refusal('Your card was declined.', declined, 402);
  }
  begin(world, one, beginning, () => Object.assign(one.items.data[0]!, { price }));
}

/** Begins the period and collects what is due for it. An end with the period moves to its end. */
function begin(world: World, one: Subscription, { period, lines }: Beginning, change: () => void): void {
  const before = periodOf(one);
  const { start, end } = period;
  Object.assign(one.items.data[0]!, { current_period_start: start, current_period_end: end });
  Object.assign(one, { billing_cycle_anchor: start, ...(one.cancel_at_period_end && { cancel_at: end }) });
  change();
  const invoice = dueInvoice(world, one, { reason: 'subscription_update', lines, period: before });
  world.record('customer.subscription.updated', one);
  payInvoice(world, invoice);
}

/** After a pause: goes on with a new period, which is paid now. */
export function resumeSubscription(world: World, one: Subscription): void {
  if (isDeclined(world, one.customer)) throw new Error('It stays paused: the card was declined.');
  const { price } = one.items.data[0]!;
  const period = periodAt(world.seconds, price, world.seconds);
  begin(world, one, { period, lines: [periodLine(world, one, price, period)] }, () => (one.status = 'active'));
  world.record('customer.subscription.resumed', one);
}

/** A trial for a subscription that has not ended: nothing is due until then. */
export function giveTrial(world: World, one: Subscription, end: number): void {
  const period = { start: world.seconds, end };
  // An invoice of nothing, which takes over from one that waits to be paid.
  const lines = [periodLine(world, one, one.items.data[0]!.price, period, 0)];
  begin(world, one, { period, lines }, () => {
    for (const item of one.items.data)
      Object.assign(item, { current_period_start: period.start, current_period_end: end });
    Object.assign(one, { status: 'trialing', trial_start: period.start, trial_end: end, billing_cycle_anchor: end });
  });
}

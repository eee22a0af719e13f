import type Stripe from 'stripe';
import { expirePendingUpdate } from './changing-plan';
import { payInvoice, voidInvoice } from './collecting';
import { discountsOf, endDiscount } from './discounting';
import { endSubscription, endWithPeriod, expireSession } from './ending';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { dateOf, DAY_SECONDS, periodAt } from '../world/stripe-time';
import { subscriptionOf } from '../objects/money';
import { itemOf, itemsWith } from '../objects/sales';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';

/** Something that happens by itself at its time. */
export interface Due {
  at: number;
  run: () => void;
}

const TRIAL_NOTICE_SECONDS = 3 * DAY_SECONDS;
const LIVE: readonly string[] = ['trialing', 'active', 'past_due', 'unpaid'];

/** The next thing that falls due up to this moment, in the order of time. */
export function nextDue(world: World, until: Date): (Due & { date: Date }) | undefined {
  const limit = Math.floor(until.getTime() / 1000);
  let first: Due | undefined;
  for (const due of everythingDue(world)) {
    if (due.at <= limit && (!first || due.at < first.at)) first = due;
  }
  return first && { ...first, date: dateOf(first.at) };
}

function* everythingDue(world: World): Generator<Due> {
  for (const session of world.sessions.unfinished()) {
    yield { at: session.expires_at, run: () => expireSession(world, session) };
  }
  for (const subscription of world.subscriptions.unfinished()) {
    if (LIVE.includes(subscription.status)) yield* dueOf(world, subscription);
  }
  for (const invoice of world.invoices.unfinished()) {
    const due = dueOfInvoice(world, invoice);
    if (due) yield due;
  }
}

/** An end comes before a renewal of the same second. */
function* dueOf(world: World, subscription: Stripe.Subscription): Generator<Due> {
  const { end } = periodOf(subscription);
  const { cancel_at: cancelAt } = subscription;
  if (cancelAt !== null)
    yield { at: cancelAt, run: () => endSubscription(world, subscription, 'cancellation_requested') };
  yield { at: end, run: () => renew(world, subscription) };
  const pendingUntil = subscription.pending_update?.expires_at;
  if (pendingUntil !== undefined) yield { at: pendingUntil, run: () => expirePendingUpdate(world, subscription) };
  for (const discount of discountsOf(world, subscription)) {
    if (discount.end !== null) yield { at: discount.end, run: () => endDiscount(world, subscription, discount) };
  }
  if (subscription.status !== 'trialing' || world.announcedTrialEnds.has(subscription.id)) return;
  yield {
    at: Math.max(subscription.trial_end! - TRIAL_NOTICE_SECONDS, subscription.created),
    run: () => {
      world.announcedTrialEnds.add(subscription.id);
      world.tell('customer.subscription.trial_will_end', subscription);
    },
  };
}

function dueOfInvoice(world: World, invoice: Stripe.Invoice): Due | undefined {
  if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null) {
    const subscription = world.subscriptions.get(subscriptionOf(invoice))!;
    return { at: invoice.automatically_finalizes_at, run: () => advanceDraft(world, invoice, subscription) };
  }
  if (invoice.status !== 'open' || invoice.next_payment_attempt === null) return undefined;
  return { at: invoice.next_payment_attempt, run: () => void payInvoice(world, invoice) };
}

/** How long an invoice of a renewal stays a draft. */
const DRAFT_SECONDS = 3_600;

/** Begins the next period, also the first one after a trial. The invoice is collected an hour later. */
export function renew(world: World, subscription: Stripe.Subscription): void {
  const before = periodOf(subscription);
  const old = copyOf(subscription);
  const ended = subscription.items.data.filter(({ current_period_end: end }) => end <= before.end);
  const lines = ended.map((item) => {
    const period = periodAt(subscription.billing_cycle_anchor, item.price, before.end);
    Object.assign(item, { current_period_start: period.start, current_period_end: period.end });
    return periodLine(item.price, period);
  });
  subscription.status = subscription.status === 'trialing' ? 'active' : subscription.status;
  const invoice = draftInvoice(world, subscription, { reason: 'subscription_cycle', lines, period: before });
  // Of an unpaid subscription invoices are only written.
  if (subscription.status === 'unpaid') invoice.auto_advance = false;
  else invoice.automatically_finalizes_at = world.time.seconds + DRAFT_SECONDS;
  world.events.record('customer.subscription.updated', subscription, old);
}

/** Finalizes the draft of a renewal and collects it; while collection is paused it is void. */
export function advanceDraft(world: World, invoice: Stripe.Invoice, subscription: Stripe.Subscription): void {
  finalizeInvoice(world, invoice);
  if (subscription.pause_collection) voidInvoice(world, invoice);
  else payInvoice(world, invoice);
}

/** After a pause: goes on with a new period once that is paid; until then it stays paused. */
export function resumeSubscription(world: World, subscription: Stripe.Subscription): void {
  const begun = world.invoices.get(world.pendingChanges.get(subscription.id)?.invoice ?? '');
  payInvoice(world, begun ?? invoiceOfResumption(world, subscription));
}

function invoiceOfResumption(world: World, subscription: Stripe.Subscription): Stripe.Invoice {
  const now = world.time.seconds;
  const { price } = itemOf(subscription);
  const period = periodAt(now, price, now);
  const wanted = { lines: [periodLine(price, period)], period: periodOf(subscription) };
  const draft = draftInvoice(world, subscription, { reason: 'subscription_update', ...wanted });
  const invoice = finalizeInvoice(world, draft);
  const apply = () => {
    const items = itemsWith(subscription, { period });
    const changes = { billing_cycle_anchor: now, items, ...endWithPeriod(subscription, period.end) };
    world.change(subscription, 'customer.subscription.updated', { ...changes, status: 'active' });
    world.tell('customer.subscription.resumed', subscription);
  };
  world.pendingChanges.set(subscription.id, { invoice: invoice.id, apply });
  return invoice;
}

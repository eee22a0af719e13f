import type Stripe from 'stripe';
import { subscriptionOf } from '../objects/money';
import { dateOf } from '../world/stripe-time';
import type { World } from '../world/world';
import { payInvoice } from './collecting';
import { discountsOf, endDiscount } from './discounting';
import { endSubscription, expireSession } from './ending';
import { periodOf } from './invoicing';
import { DAY_SECONDS } from './periods';
import { advanceDraft, renew } from './renewing';
import { expirePendingUpdate } from './updating';

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

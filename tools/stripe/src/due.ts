import { discountsOf, endDiscount } from './discounts';
import { draftInvoice, finalizeInvoice, periodLine, subscriptionOf } from './invoices';
import { periodAt } from './periods';
import { endSubscription, expireSession, payInvoice, periodOf } from './subscriptions';
import type { Invoice, Subscription, World } from './world';

/** Something that happens by itself at its time. */
interface Due {
  at: number;
  run: () => void;
}

/** The next thing that falls due up to this moment, in the order of time. */
export function nextDue(world: World, until: Date): { date: Date; run: () => void } | undefined {
  let first: Due | undefined;
  for (const due of everythingDue(world)) {
    if (due.at * 1_000 <= until.getTime() && (!first || due.at < first.at)) first = due;
  }
  return first && { run: first.run, date: new Date(first.at * 1_000) };
}

function* everythingDue(world: World): Generator<Due> {
  for (const session of world.sessions.all) {
    if (session.status === 'open') yield { at: session.expires_at, run: () => expireSession(world, session) };
  }
  for (const subscription of world.subscriptions.all) {
    if (!['trialing', 'active', 'past_due', 'unpaid'].includes(subscription.status)) continue;
    const { cancel_at: at } = subscription;
    // An end comes before a renewal of the same second.
    if (at !== null) yield { at, run: () => endSubscription(world, subscription) };
    yield { at: periodOf(subscription).end, run: () => renew(world, subscription) };
    for (const { discount } of discountsOf(world, subscription)) {
      if (discount.end !== null) yield { at: discount.end, run: () => endDiscount(world, subscription, discount) };
    }
  }
  for (const invoice of world.invoices.all) {
    const { automatically_finalizes_at: finalizes, next_payment_attempt: next, status } = invoice;
    if (status === 'draft' && finalizes !== null) yield { at: finalizes, run: () => advanceDraft(world, invoice) };
    if (status === 'open' && next !== null) yield { at: next, run: () => payInvoice(world, invoice) };
  }
}

/** How long an invoice of a renewal stays a draft. */
const DRAFT_SECONDS = 3_600;

/** Begins the next period, also the first one after a trial. The invoice is collected an hour later. */
function renew(world: World, subscription: Subscription): void {
  const before = periodOf(subscription);
  const ended = subscription.items.data.filter(({ current_period_end: end }) => end <= before.end);
  const lines = ended.map((item) => {
    const period = periodAt(subscription.billing_cycle_anchor, item.price, before.end);
    Object.assign(item, { current_period_start: period.start, current_period_end: period.end });
    return periodLine(world, subscription, item.price, period);
  });
  if (subscription.status === 'trialing') subscription.status = 'active';
  const invoice = draftInvoice(world, subscription, { reason: 'subscription_cycle', lines, period: before });
  // Of an unpaid subscription invoices are only written.
  if (subscription.status === 'unpaid') invoice.auto_advance = false;
  else invoice.automatically_finalizes_at = world.seconds + DRAFT_SECONDS;
  world.record('customer.subscription.updated', subscription);
}

/** Finalizes the draft of a renewal and collects it; while collection is paused it is void: nobody pays it any more. */
function advanceDraft(world: World, invoice: Invoice): void {
  finalizeInvoice(world, invoice);
  if (!world.subscriptions.get(subscriptionOf(invoice)).pause_collection) return payInvoice(world, invoice);
  const status_transitions = { ...invoice.status_transitions, voided_at: world.seconds };
  const over = { auto_advance: false, next_payment_attempt: null };
  world.change(invoice, 'invoice.voided', { status: 'void', status_transitions, ...over });
}

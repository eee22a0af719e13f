import type Stripe from 'stripe';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';
import { activateIfSettled, payInvoice } from './collecting';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { periodAt } from './periods';

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
    return periodLine(item.price, item.quantity!, period);
  });
  subscription.status = subscription.status === 'trialing' ? 'active' : subscription.status;
  const invoice = draftInvoice(world, subscription, { reason: 'subscription_cycle', lines, period: before });
  // Of an unpaid subscription invoices are only written.
  if (subscription.status === 'unpaid') invoice.auto_advance = false;
  else invoice.automatically_finalizes_at = world.time.seconds + DRAFT_SECONDS;
  world.events.record('customer.subscription.updated', subscription, old);
}

/** Finalizes the draft of a renewal and collects it, unless collection is paused. */
export function advanceDraft(world: World, invoice: Stripe.Invoice, subscription: Stripe.Subscription): void {
  const paused = subscription.pause_collection?.behavior;
  if (paused === 'keep_as_draft') {
    invoice.automatically_finalizes_at = null;
    invoice.auto_advance = false;
    return;
  }
  finalizeInvoice(world, invoice);
  if (!paused) return void payInvoice(world, invoice);
  const now = world.time.seconds;
  const times = invoice.status_transitions;
  const ended =
    paused === 'void'
      ? { status: 'void' as const, status_transitions: { ...times, voided_at: now } }
      : { status: 'uncollectible' as const, status_transitions: { ...times, marked_uncollectible_at: now } };
  Object.assign(invoice, { ...ended, auto_advance: false });
  world.tell(paused === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', invoice);
  activateIfSettled(world, subscription);
}

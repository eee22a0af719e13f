import type Stripe from 'stripe';
import { itemOf, itemsWith } from '../objects/sales';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';
import { payInvoice, voidInvoice } from './collecting';
import { endWithPeriod } from './ending';
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

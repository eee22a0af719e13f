import type Stripe from 'stripe';
import { collect, dueInvoice, periodLine, subscriptionOf } from './invoices';
import { DAY_SECONDS, type Period, periodAt } from './periods';
import { anObject, newId } from './schema/published';
import type { Invoice, Subscription, World } from './world';

interface Sale {
  customer: string;
  /** One item for each. */
  prices: readonly Stripe.Price[];
  metadata: Stripe.Metadata;
  trialDays?: number | null;
}

/** A subscription whose first invoice was tried; that of a trial is of nothing. */
export function sell(world: World, { customer, metadata, prices, trialDays = null }: Sale): Subscription {
  const now = world.seconds;
  const id = newId('sub');
  const end = now + (trialDays ?? 0) * DAY_SECONDS;
  const data = prices.map((price) => {
    const period = trialDays === null ? periodAt(now, price, now) : { start: now, end };
    const times = { created: now, current_period_start: period.start, current_period_end: period.end };
    const item = { id: newId('si'), subscription: id, quantity: 1, price, ...times };
    return anObject<Stripe.SubscriptionItem>('subscription_item', item);
  });
  const wanted: Partial<Subscription> = {
    id,
    start_date: now,
    customer,
    metadata,
    currency: prices[0]!.currency,
    billing_cycle_anchor: end,
    items: { object: 'list', data, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    ...(trialDays === null ? { status: 'incomplete' } : { status: 'trialing', trial_start: now, trial_end: end }),
  };
  const subscription = world.subscriptions.add(wanted, 'customer.subscription.created');
  const lines = data.map((item) =>
    periodLine(world, subscription, item.price, periodOfItem(item), trialDays === null ? undefined : 0),
  );
  const period = { start: now, end: now };
  payInvoice(world, dueInvoice(world, subscription, { reason: 'subscription_create', lines, period }));
  return subscription;
}

/** Ended for good: only its metadata can change. */
export function isOver({ status }: Subscription): boolean {
  return status === 'canceled';
}

/** Of the item whose period ends first. */
export function periodOf({ items }: Subscription): Period {
  return items.data.map(periodOfItem).reduce((first, period) => (period.end < first.end ? period : first));
}

function periodOfItem({ current_period_start: start, current_period_end: end }: Stripe.SubscriptionItem): Period {
  return { start, end };
}

/** Tries to collect an open invoice, and does to its subscription what follows from it. */
export function payInvoice(world: World, invoice: Invoice): void {
  const subscription = world.subscriptions.get(subscriptionOf(invoice));
  const to = (status: Subscription['status']) =>
    world.change(subscription, 'customer.subscription.updated', { status });
  const isPaid = collect(world, invoice);
  const latest = latestInvoice(world, subscription);
  if (isPaid) {
    const waits = ['incomplete', 'past_due', 'unpaid'].includes(subscription.status);
    if (waits && latest?.status === 'paid') to('active');
    return;
  }
  // The first failure makes it past due; the last one does what the account has set.
  if (latest?.id !== invoice.id) return;
  if (subscription.status === 'active') to('past_due');
  if (invoice.next_payment_attempt !== null || subscription.status !== 'past_due') return;
  if (world.afterRetries === 'cancel') endSubscription(world, subscription, 'payment_failed');
  else to('unpaid');
}

/**
 * The one that was finalized last. A draft stands where it will be finalized; one that nothing finalizes, as of an unpaid
 * subscription, where it was made, so that whatever comes after it decides again. Void ones and those made by hand are
 * left out.
 */
function latestInvoice(world: World, { id }: Subscription): Invoice | undefined {
  const finalizedAt = (invoice: Invoice) =>
    invoice.status_transitions.finalized_at ?? invoice.automatically_finalizes_at ?? invoice.created;
  return world.invoices.all
    .filter((one) => subscriptionOf(one) === id && one.status !== 'void' && one.billing_reason !== 'manual')
    .sort((a, b) => finalizedAt(a) - finalizedAt(b))
    .at(-1);
}

/** Ends a subscription now. Its open invoices stay, and are not collected any more. */
export function endSubscription(
  world: World,
  subscription: Subscription,
  reason: 'cancellation_requested' | 'payment_failed' = 'cancellation_requested',
): void {
  for (const invoice of world.invoices.all) {
    if (subscriptionOf(invoice) !== subscription.id) continue;
    Object.assign(invoice, { auto_advance: false, next_payment_attempt: null, automatically_finalizes_at: null });
  }
  world.waitingLines.delete(subscription.id);
  world.change(subscription, 'customer.subscription.deleted', {
    canceled_at: subscription.canceled_at ?? world.seconds,
    cancellation_details: anObject('cancellation_details', { reason }),
    ended_at: world.seconds,
    pause_collection: null,
    status: 'canceled',
  });
}

/** Ends all that a customer has, then the customer. What was invoiced stays. */
export function deleteCustomer(world: World, customer: Stripe.Customer): void {
  for (const subscription of world.subscriptions.all) {
    if (subscription.customer === customer.id && !isOver(subscription)) endSubscription(world, subscription);
  }
  for (const session of world.sessions.all) {
    if (session.customer === customer.id && session.status === 'open') expireSession(world, session);
  }
  world.deletedCustomers.add(customer.id);
  world.customers.delete(customer, 'customer.deleted');
}

/** After its time, or when the account ends it. */
export function expireSession(world: World, session: Stripe.Checkout.Session): void {
  world.change(session, 'checkout.session.expired', { status: 'expired', url: null });
}

/** Members of a subscription that ends at some time, or at none any more. */
export function endAt(world: World, at: number | null): Partial<Subscription> {
  const reason = at === null ? null : 'cancellation_requested';
  return {
    cancel_at: at,
    cancel_at_period_end: false,
    canceled_at: at === null ? null : world.seconds,
    cancellation_details: anObject('cancellation_details', { reason }),
  };
}

/** The cards of the hosted page; `good_then_declines` pays now and fails at every later invoice. */
export type CheckoutCard = 'good' | 'declined' | 'good_then_declines';

/**
 * Pays, as the button of the hosted page does. A declined card changes nothing: the page stays open.
 * @returns whether it is paid
 */
export function completeCheckout(world: World, session: Stripe.Checkout.Session, card: CheckoutCard): boolean {
  if (session.status !== 'open') throw new Error(`The session is ${session.status}.`);
  if (card === 'declined') return false;
  const customer = session.customer as string;
  const { trialDays, price, metadata } = world.offers.get(session.id)!;
  world.cards.set(customer, 'good');
  const subscription = sell(world, { customer, prices: [price], metadata, trialDays });
  if (card === 'good_then_declines') world.cards.set(customer, 'declines');
  world.change(session, 'checkout.session.completed', {
    invoice: subscription.latest_invoice,
    payment_status: trialDays === null ? 'paid' : 'no_payment_required',
    status: 'complete',
    subscription: subscription.id,
    url: null,
  });
  return true;
}

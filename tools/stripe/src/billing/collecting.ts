import type Stripe from 'stripe';
import { subscriptionOf } from '../objects/money';
import { anObject } from '../schema/published';
import { newId } from '../world/ids';
import type { Card, World } from '../world/world';
import { endSubscription } from './ending';
import { DAY_SECONDS } from '../world/stripe-time';

/** Days after the first failure at which a payment is tried again. */
const RETRY_DAYS = [1, 3, 5];

/** Saves a new card for later invoices. */
export function setCard(world: World, customer: Stripe.Customer, card: Card): void {
  world.cards.set(customer.id, card);
  for (const subscription of world.subscriptions.unfinished()) {
    if (subscription.customer !== customer.id) continue;
    world.change(subscription, 'customer.subscription.updated', { default_payment_method: newId('pm') });
  }
}

export type Collected = 'paid' | 'failed';

/** Tries to take the money of an open invoice. What it means for the subscription is for the caller. */
export function collectInvoice(world: World, invoice: Stripe.Invoice): Collected {
  if (invoice.amount_due > 0 && world.cards.get(invoice.customer as string) === 'declines') {
    addCharge(world, invoice, false);
    markFailed(world, invoice);
    return 'failed';
  }
  if (invoice.amount_due > 0) {
    invoice.attempt_count += 1;
    addCharge(world, invoice, true);
  }
  markPaid(world, invoice);
  return 'paid';
}

/** A try to take the money: all tries for one invoice are of one payment. */
function addCharge(world: World, invoice: Stripe.Invoice, isPaid: boolean): void {
  const { amount_due: amount, currency, customer } = invoice;
  const created = world.time.seconds;
  const payment =
    world.payments.get(invoice.id) ??
    anObject<Stripe.InvoicePayment>('invoice_payment', {
      id: newId('inpay'),
      amount_requested: amount,
      created,
      currency,
      invoice: invoice.id,
      is_default: true,
      status: 'open',
      payment: { payment_intent: newId('pi'), type: 'payment_intent' },
    });
  world.payments.set(invoice.id, payment);
  const intent = payment.payment.payment_intent as string;
  const charge = anObject<Stripe.Charge>('charge', {
    id: newId('ch'),
    amount,
    amount_captured: isPaid ? amount : 0,
    created,
    currency,
    customer,
    payment_intent: intent,
    captured: isPaid,
    paid: isPaid,
    status: isPaid ? 'succeeded' : 'failed',
    failure_code: isPaid ? null : 'card_declined',
  });
  world.chargesByIntent.set(intent, charge.id);
  world.add(world.charges, charge, isPaid ? 'charge.succeeded' : 'charge.failed');
}

function markPaid(world: World, invoice: Stripe.Invoice): void {
  const paid_at = world.time.seconds;
  const payment = world.payments.get(invoice.id);
  if (payment) {
    const status_transitions = { ...payment.status_transitions, paid_at };
    Object.assign(payment, { amount_paid: payment.amount_requested, status: 'paid', status_transitions });
    world.tell('invoice_payment.paid', payment);
  }
  world.change(invoice, 'invoice.updated', {
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at },
  });
  world.tell('invoice.paid', invoice);
  world.tell('invoice.payment_succeeded', invoice);
}

/** Counts a failed try, and says when the next one is. */
function markFailed(world: World, invoice: Stripe.Invoice): void {
  const attempts = invoice.attempt_count + 1;
  const changeWaits = world.pendingChanges.get(subscriptionOf(invoice))?.invoice === invoice.id;
  const days = changeWaits ? undefined : RETRY_DAYS[attempts - 1];
  const next = days === undefined ? null : invoice.status_transitions.finalized_at! + days * DAY_SECONDS;
  const tries = { attempt_count: attempts, attempted: true, auto_advance: next !== null };
  world.change(invoice, 'invoice.updated', { ...tries, next_payment_attempt: next });
  world.tell('invoice.payment_failed', invoice);
}

/** Nobody pays it any more. */
export function voidInvoice(world: World, invoice: Stripe.Invoice): void {
  const status_transitions = { ...invoice.status_transitions, voided_at: world.time.seconds };
  Object.assign(invoice, { status: 'void', status_transitions, auto_advance: false, next_payment_attempt: null });
  world.tell('invoice.voided', invoice);
}

/** Tries to collect an open invoice, and does to the subscription what follows from it. */
export function payInvoice(world: World, invoice: Stripe.Invoice): Collected {
  const subscription = world.subscriptions.get(subscriptionOf(invoice))!;
  const collected = collectInvoice(world, invoice);
  if (collected === 'paid') afterPayment(world, subscription, invoice);
  else afterFailure(world, subscription, invoice);
  return collected;
}

export function afterPayment(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice): void {
  const pending = world.pendingChanges.get(subscription.id);
  if (pending?.invoice === invoice.id) {
    world.pendingChanges.delete(subscription.id);
    pending.apply();
  }
  activateIfSettled(world, subscription);
}

/** A subscription that waits for a payment is active once its latest invoice is paid. */
export function activateIfSettled(world: World, subscription: Stripe.Subscription): void {
  if (!['incomplete', 'past_due', 'unpaid'].includes(subscription.status)) return;
  if (latestInvoice(world, subscription)?.status !== 'paid') return;
  world.change(subscription, 'customer.subscription.updated', { status: 'active' });
}

/**
 * The one that was finalized last. A draft stands where it will be finalized; one that nothing finalizes, as of an unpaid
 * subscription, where it was made, so that whatever comes after it decides again. Void ones, those made by hand and that
 * of a pending update are left out: the subscription goes on as if no update was asked for.
 */
function latestInvoice(world: World, subscription: Stripe.Subscription): Stripe.Invoice | undefined {
  const pending = world.pendingChanges.get(subscription.id)?.invoice;
  const finalizedAt = (invoice: Stripe.Invoice) =>
    invoice.status_transitions.finalized_at ?? invoice.automatically_finalizes_at ?? invoice.created;
  let latest: Stripe.Invoice | undefined;
  for (const invoice of world.invoices.values()) {
    if (subscriptionOf(invoice) !== subscription.id || invoice.status === 'void' || invoice.id === pending) continue;
    if (invoice.billing_reason === 'manual') continue;
    if (!latest || finalizedAt(invoice) >= finalizedAt(latest)) latest = invoice;
  }
  return latest;
}

/** The first failure makes a subscription past due; the last one does what the account has set. */
function afterFailure(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice): void {
  if (world.pendingChanges.get(subscription.id)?.invoice === invoice.id) return;
  if (latestInvoice(world, subscription)?.id !== invoice.id) return;
  if (subscription.status === 'active') {
    world.change(subscription, 'customer.subscription.updated', { status: 'past_due' });
  }
  if (invoice.next_payment_attempt !== null || subscription.status !== 'past_due') return;
  const { afterRetries } = world;
  if (afterRetries === 'cancel') endSubscription(world, subscription, 'payment_failed');
  if (afterRetries === 'unpaid') world.change(subscription, 'customer.subscription.updated', { status: 'unpaid' });
}

import type Stripe from 'stripe';
import { anObject, newId } from '../schema/published';
import { subscriptionOf } from '../world/objects';
import { DAY_SECONDS } from '../world/stripe-time';
import type { World } from '../world/world';
import { endSubscription } from './ending';

/** Days after the first failure at which a payment is tried again. */
const RETRY_DAYS = [1, 3, 5];

/** Whether the customer's next payment is refused. */
export function isDeclined(world: World, customer: string | object | null): boolean {
  return world.cards.get(customer as string) === 'declines';
}

/**
 * Tries to take the money of an open invoice, and does to its subscription what follows from it.
 * @returns whether it is paid
 */
export function payInvoice(world: World, invoice: Stripe.Invoice): boolean {
  const subscription = world.subscriptions.get(subscriptionOf(invoice))!;
  if (invoice.amount_due > 0) {
    invoice.attempt_count += 1;
    if (isDeclined(world, invoice.customer)) {
      fail(world, invoice);
      afterFailure(world, subscription, invoice);
      return false;
    }
    addCharge(world, invoice);
  }
  markPaid(world, invoice);
  const waits = ['incomplete', 'past_due', 'unpaid'].includes(subscription.status);
  if (waits && latestInvoice(world, subscription)?.status === 'paid') {
    world.change(subscription, 'customer.subscription.updated', { status: 'active' });
  }
  return true;
}

function addCharge(world: World, { id: invoice, amount_due: amount, currency, customer }: Stripe.Invoice): void {
  const created = world.time.seconds;
  const payment_intent = newId('pi');
  const payment = anObject<Stripe.InvoicePayment>('invoice_payment', {
    id: newId('inpay'),
    amount_paid: amount,
    amount_requested: amount,
    created,
    currency,
    invoice,
    is_default: true,
    status: 'paid',
    payment: { payment_intent, type: 'payment_intent' },
  });
  world.payments.set(invoice, payment);
  const charge = { id: newId('ch'), amount, amount_captured: amount, created, currency, customer, payment_intent };
  const state = { captured: true, paid: true, status: 'succeeded' as const };
  world.add(world.charges, anObject<Stripe.Charge>('charge', { ...charge, ...state }), 'charge.succeeded');
}

function markPaid(world: World, invoice: Stripe.Invoice): void {
  Object.assign(invoice, {
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: world.time.seconds },
  });
  world.record('invoice.paid', invoice);
  world.record('invoice.payment_succeeded', invoice);
}

/** Says when the next try is. */
function fail(world: World, invoice: Stripe.Invoice): void {
  const days = RETRY_DAYS[invoice.attempt_count - 1];
  const next = days === undefined ? null : invoice.status_transitions.finalized_at! + days * DAY_SECONDS;
  const tries = { attempted: true, auto_advance: next !== null, next_payment_attempt: next };
  world.change(invoice, 'invoice.payment_failed', tries);
}

/** Nobody pays it any more. */
export function voidInvoice(world: World, invoice: Stripe.Invoice): void {
  const status_transitions = { ...invoice.status_transitions, voided_at: world.time.seconds };
  const over = { auto_advance: false, next_payment_attempt: null };
  world.change(invoice, 'invoice.voided', { status: 'void', status_transitions, ...over });
}

/**
 * The one that was finalized last. A draft stands where it will be finalized; one that nothing finalizes, as of an unpaid
 * subscription, where it was made, so that whatever comes after it decides again. Void ones and those made by hand are
 * left out.
 */
function latestInvoice(world: World, { id }: Stripe.Subscription): Stripe.Invoice | undefined {
  const finalizedAt = (invoice: Stripe.Invoice) =>
    invoice.status_transitions.finalized_at ?? invoice.automatically_finalizes_at ?? invoice.created;
  return [...world.invoices.values()]
    .filter((one) => subscriptionOf(one) === id && one.status !== 'void' && one.billing_reason !== 'manual')
    .sort((a, b) => finalizedAt(a) - finalizedAt(b))
    .at(-1);
}

/** The first failure makes a subscription past due; the last one does what the account has set. */
function afterFailure(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice): void {
  if (latestInvoice(world, subscription)?.id !== invoice.id) return;
  if (subscription.status === 'active') {
    world.change(subscription, 'customer.subscription.updated', { status: 'past_due' });
  }
  if (invoice.next_payment_attempt !== null || subscription.status !== 'past_due') return;
  if (world.afterRetries === 'cancel') endSubscription(world, subscription, 'payment_failed');
  else world.change(subscription, 'customer.subscription.updated', { status: 'unpaid' });
}

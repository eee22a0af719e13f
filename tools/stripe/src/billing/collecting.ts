import type Stripe from 'stripe';
import { aPaymentMethod } from '../objects/customers';
import { subscriptionOf } from '../objects/invoices';
import { aCharge, anInvoicePayment, aPaymentIntent, type Decline } from '../objects/payments';
import type { Card, World } from '../world/world';
import { endSubscription } from './ending';
import { DAY_SECONDS } from './periods';

const LAST_DIGITS: Record<Card, string> = { good: '4242', declines: '0341', requires_action: '3155' };

/** Saves a new card for later invoices. */
export function setCard(world: World, customer: Stripe.Customer, card: Card): void {
  const method = aPaymentMethod(world.time.seconds, customer.id, LAST_DIGITS[card]);
  world.add(world.paymentMethods, method, 'payment_method.attached');
  world.cards.set(customer.id, card);
  const invoice_settings = { ...customer.invoice_settings, default_payment_method: method.id };
  world.change(customer, 'customer.updated', { invoice_settings });
  for (const subscription of world.subscriptions.values()) {
    const live = subscription.customer === customer.id && subscription.ended_at === null;
    if (live) world.change(subscription, 'customer.subscription.updated', { default_payment_method: method.id });
  }
}

const DECLINES: Record<Exclude<Card, 'good'>, Decline> = {
  declines: { code: 'card_declined', declineCode: 'generic_decline', message: 'Your card was declined.' },
  requires_action: {
    code: 'authentication_required',
    declineCode: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
};

export type Collected = 'paid' | 'failed';

/** Tries to take the money of an open invoice. What it means for the subscription is for the caller. */
export function collectInvoice(world: World, invoice: Stripe.Invoice): Collected {
  if (invoice.amount_due === 0) {
    markPaid(world, invoice);
    return 'paid';
  }
  const intent = world.intentOf(invoice.id) ?? beginPayment(world, invoice);
  const card = world.cards.get(invoice.customer as string) ?? 'good';
  if (card === 'good') {
    invoice.attempt_count += 1;
    takeMoney(world, intent, defaultMethod(world, invoice.customer as string));
    markPaid(world, invoice);
    return 'paid';
  }
  refuseMoney(world, intent, card);
  markFailed(world, invoice);
  if (card === 'requires_action') world.tell('invoice.payment_action_required', invoice);
  return 'failed';
}

export function beginPayment(world: World, invoice: Stripe.Invoice): Stripe.PaymentIntent {
  const now = world.time.seconds;
  const description =
    invoice.billing_reason === 'subscription_create' ? 'Subscription creation' : 'Subscription update';
  const { amount_due: amountCents, currency, customer } = invoice;
  const wanted = { amountCents, currency, customer: customer as string, description };
  const intent = world.add(world.paymentIntents, aPaymentIntent(now, wanted), 'payment_intent.created');
  world.addPayment(anInvoicePayment(now, invoice, intent.id));
  return intent;
}

export function takeMoney(world: World, intent: Stripe.PaymentIntent, paymentMethod: string | null): void {
  const charge = world.add(world.charges, aCharge(world.time.seconds, { intent, paymentMethod }), 'charge.succeeded');
  Object.assign(intent, {
    amount_received: intent.amount,
    latest_charge: charge.id,
    last_payment_error: null,
    next_action: null,
    payment_method: paymentMethod,
    status: 'succeeded',
  });
  world.tell('payment_intent.succeeded', intent);
}

/** Records a try that the bank refused. */
export function refuseMoney(world: World, intent: Stripe.PaymentIntent, card: Exclude<Card, 'good'>): Decline {
  const decline = DECLINES[card];
  const charge = aCharge(world.time.seconds, { intent, paymentMethod: null, decline });
  world.add(world.charges, charge, 'charge.failed');
  Object.assign(intent, {
    latest_charge: charge.id,
    last_payment_error: {
      charge: charge.id,
      code: decline.code,
      decline_code: decline.declineCode,
      message: decline.message,
      type: 'card_error',
    },
    status: 'requires_payment_method',
  });
  world.tell('payment_intent.payment_failed', intent);
  return decline;
}

export function markPaid(world: World, invoice: Stripe.Invoice): void {
  const now = world.time.seconds;
  const payment = world.paymentOf(invoice.id);
  if (payment) {
    const { amount_requested: amount_paid, status_transitions } = payment;
    Object.assign(payment, {
      amount_paid,
      status: 'paid',
      status_transitions: { ...status_transitions, paid_at: now },
    });
    world.tell('invoice_payment.paid', payment);
  }
  world.change(invoice, 'invoice.updated', {
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  });
  world.tell('invoice.paid', invoice);
  world.tell('invoice.payment_succeeded', invoice);
}

/** Counts a failed try, and says when the next one is. */
export function markFailed(world: World, invoice: Stripe.Invoice): void {
  const attempts = invoice.attempt_count + 1;
  const changeWaits = world.pendingChanges.get(subscriptionOf(invoice))?.invoice === invoice.id;
  const days = changeWaits ? undefined : world.policy.retryDays[attempts - 1];
  const next = days === undefined ? null : invoice.status_transitions.finalized_at! + days * DAY_SECONDS;
  world.change(invoice, 'invoice.updated', {
    attempt_count: attempts,
    attempted: true,
    auto_advance: next !== null,
    next_payment_attempt: next,
  });
  world.tell('invoice.payment_failed', invoice);
}

function defaultMethod(world: World, customer: string): string | null {
  const methods = [...world.paymentMethods.values()].filter((method) => method.customer === customer);
  return methods.at(-1)?.id ?? null;
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

/** What waits for a payment is active once its latest invoice is paid or given up. */
export function activateIfSettled(world: World, subscription: Stripe.Subscription): void {
  if (!['incomplete', 'past_due', 'unpaid'].includes(subscription.status)) return;
  const status = latestInvoice(world, subscription)?.status;
  if (status !== 'paid' && status !== 'uncollectible') return;
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
export function afterFailure(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice): void {
  if (world.pendingChanges.get(subscription.id)?.invoice === invoice.id) return;
  if (latestInvoice(world, subscription)?.id !== invoice.id) return;
  if (subscription.status === 'active') {
    world.change(subscription, 'customer.subscription.updated', { status: 'past_due' });
  }
  if (invoice.next_payment_attempt !== null || subscription.status !== 'past_due') return;
  const { afterRetries } = world.policy;
  if (afterRetries === 'cancel') endSubscription(world, subscription, 'payment_failed');
  if (afterRetries === 'unpaid') world.change(subscription, 'customer.subscription.updated', { status: 'unpaid' });
}

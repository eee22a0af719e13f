import type Stripe from 'stripe';
import { aSubscription, type Period } from '../objects/sales';
import { anObject } from '../schema/published';
import type { World } from '../world/world';
import { afterPayment, collectInvoice } from './collecting';
import { draftInvoice, finalizeInvoice, periodLine } from './invoicing';
import { DAY_SECONDS, periodAt } from '../world/stripe-time';

/** The cards of the hosted page; `good_then_declines` pays now and fails at every later invoice. */
export type CheckoutCard = 'good' | 'declined' | 'good_then_declines';

/** Pays, as the button of the hosted page does. A declined card changes nothing: the page stays open. */
export function completeCheckout(world: World, session: Stripe.Checkout.Session, card: CheckoutCard): void {
  if (session.status !== 'open') throw new Error(`The session is ${session.status}.`);
  if (card === 'declined') return;
  const customer = session.customer === null ? world.newCustomer({}) : world.customers.get(session.customer as string);
  if (!customer) throw new Error('The customer of this session was deleted.');
  world.cards.set(customer.id, 'good');
  const subscription = beginSubscription(world, session, customer);
  const invoice = firstInvoice(world, subscription);
  collectInvoice(world, invoice);
  afterPayment(world, subscription, invoice);
  if (card === 'good_then_declines') world.cards.set(customer.id, 'declines');
  Object.assign(session, {
    customer: customer.id,
    customer_details: anObject('payment_pages_checkout_session_customer_details', { email: customer.email }),
    invoice: invoice.id,
    payment_status: subscription.status === 'trialing' ? 'no_payment_required' : 'paid',
    status: 'complete',
    subscription: subscription.id,
    url: null,
  });
  world.tell('checkout.session.completed', session);
}

function beginSubscription(
  world: World,
  session: Stripe.Checkout.Session,
  customer: Stripe.Customer,
): Stripe.Subscription {
  const now = world.time.seconds;
  const { price, trialDays, metadata } = world.plannedSubscriptions.get(session.id)!;
  const isTrial = trialDays !== null;
  const period: Period = isTrial ? { start: now, end: now + trialDays * DAY_SECONDS } : periodAt(now, price, now);
  const wanted = { customer: customer.id, prices: [{ price, period }], created: now, isTrial, metadata };
  return world.add(world.subscriptions, aSubscription(wanted), 'customer.subscription.created');
}

/** Of all items. A trial begins with an invoice of nothing. */
export function firstInvoice(world: World, subscription: Stripe.Subscription): Stripe.Invoice {
  const now = world.time.seconds;
  const lines = subscription.items.data.map((item) => {
    const line = periodLine(item.price, { start: item.current_period_start, end: item.current_period_end });
    return subscription.status === 'trialing' ? { ...line, amountCents: 0 } : line;
  });
  const wanted = { reason: 'subscription_create' as const, lines, period: { start: now, end: now } };
  return finalizeInvoice(world, draftInvoice(world, subscription, wanted));
}

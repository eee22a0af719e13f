import type Stripe from 'stripe';
import { aCustomer, aPaymentMethod } from '../objects/customers';
import { aPaymentIntent } from '../objects/payments';
import { aSubscription, itemOf, type Period } from '../objects/subscriptions';
import type { World } from '../world/world';
import { afterPayment, collectInvoice, refuseMoney } from './collecting';
import { beginDelayedPayment } from './delayed-payments';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { DAY_SECONDS, periodAt } from './periods';

/**
 * The cards of the hosted page; `good_then_declines` pays now and fails at every later
 * invoice; `delayed` is a bank debit, which may still fail days later.
 */
export type CheckoutCard = 'good' | 'declined' | 'good_then_declines' | 'delayed';

const LAST_DIGITS: Record<CheckoutCard, string> = {
  good: '4242',
  declined: '0002',
  good_then_declines: '0341',
  delayed: '6789',
};

/** Why a page cannot be paid: it is paid, expired or unknown. */
export class NotPayable extends Error {}

/** What the button of the hosted page does. A declined card changes nothing: the page stays open. */
export function completeCheckout(world: World, session: Stripe.Checkout.Session, card: CheckoutCard): void {
  if (session.status !== 'open') throw new NotPayable(`The session is ${session.status}.`);
  const customer = session.customer === null ? newCustomer(world, session) : customerOf(world, session);
  if (card === 'declined') return decline(world, session, customer);

  const method = aPaymentMethod(world.time.seconds, customer.id, LAST_DIGITS[card]);
  world.add(world.paymentMethods, method, 'payment_method.attached');
  world.cards.set(customer.id, 'good');
  const subscription = beginSubscription(world, session, customer, method.id);
  const invoice = firstInvoice(world, subscription);
  if (card === 'delayed') beginDelayedPayment(world, subscription, invoice);
  else payFirst(world, subscription, invoice);
  if (card === 'good_then_declines') world.cards.set(customer.id, 'declines');
  Object.assign(session, {
    customer: customer.id,
    customer_details: detailsOf(customer),
    invoice: invoice.id,
    payment_status: paymentStatus(subscription, invoice),
    status: 'complete',
    subscription: subscription.id,
    url: null,
  });
  world.tell('checkout.session.completed', session);
}

function paymentStatus(
  { status }: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Stripe.Checkout.Session.PaymentStatus {
  if (status === 'trialing') return 'no_payment_required';
  return invoice.status === 'paid' ? 'paid' : 'unpaid';
}

function detailsOf({ email, name }: Stripe.Customer): Stripe.Checkout.Session.CustomerDetails {
  return {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: name ?? null,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
}

function customerOf(world: World, session: Stripe.Checkout.Session): Stripe.Customer {
  const customer = world.customers.get(session.customer as string);
  if (!customer) throw new NotPayable('The customer of this session was deleted.');
  return customer;
}

function newCustomer(world: World, session: Stripe.Checkout.Session): Stripe.Customer {
  const wanted = { email: session.customer_email, name: null, description: null, metadata: {} };
  return world.add(world.customers, aCustomer(world.time.seconds, wanted), 'customer.created');
}

function decline(world: World, session: Stripe.Checkout.Session, customer: Stripe.Customer): void {
  const { amount_total: amountCents, currency } = session;
  const payment = { amountCents: amountCents!, currency: currency!, description: 'Subscription creation' };
  const intent = aPaymentIntent(world.time.seconds, { ...payment, customer: customer.id });
  refuseMoney(world, world.add(world.paymentIntents, intent, 'payment_intent.created'), 'declines');
}

function beginSubscription(
  world: World,
  session: Stripe.Checkout.Session,
  customer: Stripe.Customer,
  paymentMethod: string,
): Stripe.Subscription {
  const now = world.time.seconds;
  const { price, quantity } = world.lineItems.get(session.id)![0]!;
  const { trialDays, metadata } = world.plannedSubscriptions.get(session.id)!;
  const period: Period =
    trialDays === null ? periodAt(now, price!, now) : { start: now, end: now + trialDays * DAY_SECONDS };
  const subscription = aSubscription({
    customer: customer.id,
    price: price!,
    quantity: quantity!,
    created: now,
    period,
    trial: trialDays !== null,
    paymentMethod,
    metadata,
  });
  if (customer.currency === null) world.change(customer, 'customer.updated', { currency: subscription.currency });
  world.add(world.subscriptions, subscription, 'customer.subscription.created');
  return subscription;
}

/** A trial begins with an invoice of nothing. */
function firstInvoice(world: World, subscription: Stripe.Subscription): Stripe.Invoice {
  const { price, quantity } = itemOf(subscription);
  const line = periodLine(price, quantity!, periodOf(subscription));
  const trialLine = { ...line, amountCents: 0, description: `Free trial of ${price.nickname}` };
  const now = world.time.seconds;
  const invoice = draftInvoice(world, subscription, {
    reason: 'subscription_create',
    lines: [subscription.status === 'trialing' ? trialLine : line],
    period: { start: now, end: now },
  });
  finalizeInvoice(world, invoice);
  return invoice;
}

function payFirst(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice): void {
  collectInvoice(world, invoice);
  afterPayment(world, subscription, invoice);
}

/** After its time, or when the account ends it. */
export function expireSession(world: World, session: Stripe.Checkout.Session): void {
  Object.assign(session, { status: 'expired', url: null });
  world.tell('checkout.session.expired', session);
}

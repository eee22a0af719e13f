import { ManualClock } from '@evenkeel/kernel';
import Stripe from 'stripe';
import { DevelopmentStripe } from '../development-stripe';
import type { AnsweredCall } from '../http/api';

const DAY_MS = 86_400_000;

/** Every call that the development Stripe knows, as the client of this workspace sends it, with the answer it got. */
export async function recordCalls(): Promise<AnsweredCall[]> {
  const calls: AnsweredCall[] = [];
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const stripe = await DevelopmentStripe.start({ clock, onCall: (call) => calls.push(call) });
  try {
    const { hostname, port } = new URL(stripe.url);
    const client = new Stripe(stripe.secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
    const bought = await buy(stripe, client);
    await readAll(stripe, client, bought);
    await change(stripe, client, bought);
    await stripe.advance(new Date(clock.now().getTime() + 40 * DAY_MS));
    await end(client, bought);
    return calls;
  } finally {
    await stripe.close();
  }
}

interface Bought {
  customer: string;
  session: string;
  subscription: Stripe.Subscription;
}

async function buy(stripe: DevelopmentStripe, client: Stripe): Promise<Bought> {
  const { id: customer } = await client.customers.create({ metadata: { user_id: 'u1' } }, { idempotencyKey: 'c1' });
  await client.customers.update(customer, { metadata: { user_id: 'u1', note: 'x' } });
  const wanted: Stripe.Checkout.SessionCreateParams = {
    mode: 'subscription',
    customer,
    client_reference_id: 'u1',
    line_items: [{ price: stripe.prices.monthly, quantity: 1 }],
    success_url: 'http://localhost:8080/paid?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:8080/left',
    metadata: { user_id: 'u1', plan: 'premium_monthly' },
    subscription_data: { metadata: { user_id: 'u1' }, trial_period_days: 14 },
  };
  const left = await client.checkout.sessions.create(wanted);
  await client.checkout.sessions.expire(left.id);
  const { id: session } = await client.checkout.sessions.create({
    ...wanted,
    subscription_data: { metadata: { user_id: 'u1' } },
  });
  await stripe.pay(session);
  const { subscription } = await client.checkout.sessions.retrieve(session, { expand: ['subscription'] });
  return { customer, session, subscription: subscription as Stripe.Subscription };
}

async function readAll(
  stripe: DevelopmentStripe,
  client: Stripe,
  { customer, session, subscription }: Bought,
): Promise<void> {
  const invoice = subscription.latest_invoice as string;
  const { data: payments } = await client.invoicePayments.list({ invoice });
  const intent = await client.paymentIntents.retrieve(payments[0]!.payment.payment_intent as string);
  const charge = intent.latest_charge as string;
  const price = subscription.items.data[0]!.price;
  const created = { gte: subscription.created };
  await client.customers.list({ limit: 3 });
  await client.checkout.sessions.list({ customer, status: 'complete' });
  await client.checkout.sessions.listLineItems(session);
  await client.billingPortal.sessions.create({
    customer,
    return_url: 'http://localhost:8080/account',
    flow_data: { type: 'payment_method_update' },
  });
  await client.subscriptions.list({ customer, status: 'all', created, limit: 100 });
  await stripe.discount(subscription.id, { percentOff: 10 }, 'item');
  await client.subscriptionItems.list({ subscription: subscription.id, expand: ['data.discounts.source.coupon'] });
  await client.invoices.list({ customer, status: 'paid', created });
  await client.invoices.retrieve(invoice, { expand: ['payments'] });
  await client.invoices.listLineItems(invoice);
  await client.invoicePayments.retrieve(payments[0]!.id);
  await client.prices.list({ active: true });
  await client.prices.retrieve(price.id);
  await client.products.retrieve(price.product as string);
  await client.charges.list({ customer });
  await client.charges.retrieve(charge);
  await client.paymentMethods.retrieve(intent.payment_method as string);
  const { id: refund } = await client.refunds.create({ charge, amount: 100, reason: 'requested_by_customer' });
  await client.refunds.retrieve(refund);
  await client.refunds.list({ charge });
  const { data: events } = await client.events.list({ types: ['invoice.paid'], created, delivery_success: true });
  await client.events.retrieve(events[0]!.id);
}

async function change(stripe: DevelopmentStripe, client: Stripe, { customer, subscription }: Bought): Promise<void> {
  const items = [{ id: subscription.items.data[0]!.id, price: stripe.prices.yearly }];
  const proration = { items, proration_behavior: 'always_invoice' as const };
  await client.invoices.createPreview({
    customer,
    subscription: subscription.id,
    subscription_details: proration,
  });
  await client.subscriptions.update(subscription.id, { ...proration, payment_behavior: 'error_if_incomplete' });
  await client.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  await client.subscriptions.update(subscription.id, { cancel_at_period_end: false });
  await client.subscriptions.update(subscription.id, { pause_collection: { behavior: 'void' } });
  await client.subscriptions.update(subscription.id, { pause_collection: '' });
  await stripe.setCard(customer, 'declines');
  const down = { items: [{ ...items[0]!, price: stripe.prices.monthly }] };
  await client.subscriptions.update(subscription.id, { ...down, proration_behavior: 'none' });
  const { latest_invoice: open } = await client.subscriptions.retrieve(subscription.id);
  await stripe.setCard(customer, 'good');
  await client.invoices.pay(open as string);
  const dispute = await stripe.dispute(open as string);
  await client.disputes.retrieve(dispute);
  await client.disputes.list({ limit: 1 });
}

async function end(client: Stripe, { customer, subscription }: Bought): Promise<void> {
  await client.subscriptions.cancel(subscription.id, { cancellation_details: { comment: 'left' } });
  await client.customers.del(customer);
  await client.customers.retrieve(customer);
}

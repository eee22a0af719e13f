import type Stripe from 'stripe';
import { subscriptionOf } from '../objects/money';
import type { World } from '../world/world';

/** Ends a subscription now. Its open invoices stay, and are not collected any more. */
export function endSubscription(
  world: World,
  subscription: Stripe.Subscription,
  reason: 'cancellation_requested' | 'payment_failed',
): void {
  const now = world.time.seconds;
  for (const invoice of world.invoices.unfinished()) {
    if (subscriptionOf(invoice) !== subscription.id) continue;
    Object.assign(invoice, { auto_advance: false, next_payment_attempt: null, automatically_finalizes_at: null });
  }
  world.pendingLines.delete(subscription.id);
  world.pendingChanges.delete(subscription.id);
  Object.assign(subscription, {
    canceled_at: subscription.canceled_at ?? now,
    cancellation_details: { ...subscription.cancellation_details, reason },
    ended_at: now,
    pause_collection: null,
    pending_update: null,
    status: 'canceled',
  });
  world.tell('customer.subscription.deleted', subscription);
}

/** Ends all that a customer has, then the customer. What was invoiced stays. */
export function deleteCustomer(world: World, customer: Stripe.Customer): void {
  for (const subscription of world.subscriptions.unfinished()) {
    if (subscription.customer === customer.id) endSubscription(world, subscription, 'cancellation_requested');
  }
  for (const session of world.sessions.unfinished()) {
    if (session.customer === customer.id) expireSession(world, session);
  }
  world.customers.delete(customer.id);
  world.deletedCustomers.add(customer.id);
  world.tell('customer.deleted', customer);
}

/** After its time, or when the account ends it. */
export function expireSession(world: World, session: Stripe.Checkout.Session): void {
  Object.assign(session, { status: 'expired', url: null });
  world.tell('checkout.session.expired', session);
}

/** Ends at some time, or takes that back. */
export function scheduleEnd(world: World, subscription: Stripe.Subscription, at: number | null): void {
  world.change(subscription, 'customer.subscription.updated', endAt(world, subscription, at));
}

export function endAt(
  world: World,
  { cancellation_details: details }: Stripe.Subscription,
  at: number | null,
): Partial<Stripe.Subscription> {
  return {
    cancel_at: at,
    cancel_at_period_end: false,
    canceled_at: at === null ? null : world.time.seconds,
    cancellation_details: { ...details!, reason: at === null ? null : 'cancellation_requested' },
  };
}

/** One that ends with its period ends with the new one when its period is another. */
export function endWithPeriod(
  { cancel_at_period_end: endsWithPeriod }: Stripe.Subscription,
  end: number,
): Partial<Stripe.Subscription> {
  return endsWithPeriod ? { cancel_at: end } : {};
}

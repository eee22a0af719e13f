import type Stripe from 'stripe';
import { anObject } from '../schema/published';
import { isOver, subscriptionOf } from '../world/objects';
import type { World } from '../world/world';

/** Ends a subscription now. Its open invoices stay, and are not collected any more. */
export function endSubscription(
  world: World,
  subscription: Stripe.Subscription,
  reason: 'cancellation_requested' | 'payment_failed',
): void {
  const now = world.time.seconds;
  for (const invoice of world.invoices.values()) {
    if (subscriptionOf(invoice) !== subscription.id) continue;
    Object.assign(invoice, { auto_advance: false, next_payment_attempt: null, automatically_finalizes_at: null });
  }
  world.waitingLines.delete(subscription.id);
  world.change(subscription, 'customer.subscription.deleted', {
    canceled_at: subscription.canceled_at ?? now,
    cancellation_details: anObject('cancellation_details', { reason }),
    ended_at: now,
    pause_collection: null,
    status: 'canceled',
  });
}

/** Ends all that a customer has, then the customer. What was invoiced stays. */
export function deleteCustomer(world: World, customer: Stripe.Customer): void {
  const isTheirs = (one: { customer: string | object | null }) => one.customer === customer.id;
  for (const subscription of world.subscriptions.values()) {
    if (isTheirs(subscription) && !isOver(subscription)) endSubscription(world, subscription, 'cancellation_requested');
  }
  for (const session of world.sessions.values()) {
    if (isTheirs(session) && session.status === 'open') expireSession(world, session);
  }
  world.customers.delete(customer.id);
  world.deletedCustomers.add(customer.id);
  world.record('customer.deleted', customer);
}

/** After its time, or when the account ends it. */
export function expireSession(world: World, session: Stripe.Checkout.Session): void {
  world.change(session, 'checkout.session.expired', { status: 'expired', url: null });
}

/** Members of a subscription that ends at some time, or at none any more. */
export function endAt(world: World, at: number | null): Partial<Stripe.Subscription> {
  const reason = at === null ? null : 'cancellation_requested';
  return {
    cancel_at: at,
    cancel_at_period_end: false,
    canceled_at: at === null ? null : world.time.seconds,
    cancellation_details: anObject('cancellation_details', { reason }),
  };
}

/** One that ends with its period ends with the new one when its period is another. */
export function endWithPeriod(
  { cancel_at_period_end: endsWithPeriod }: Stripe.Subscription,
  end: number,
): Partial<Stripe.Subscription> {
  return endsWithPeriod ? { cancel_at: end } : {};
}

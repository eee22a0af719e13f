import type Stripe from 'stripe';
import { subscriptionOf } from '../objects/invoices';
import type { World } from '../world/world';

export type EndReason = 'cancellation_requested' | 'payment_failed' | 'payment_disputed';

/** Ends a subscription now. Its open invoices stay, and are not collected any more. */
export function endSubscription(world: World, subscription: Stripe.Subscription, reason: EndReason): void {
  const now = world.time.seconds;
  for (const invoice of world.invoices.values()) {
    const waits = invoice.status === 'draft' || invoice.status === 'open';
    if (waits && subscriptionOf(invoice) === subscription.id) {
      Object.assign(invoice, { auto_advance: false, next_payment_attempt: null, automatically_finalizes_at: null });
    }
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

/** Ends at the end of what is paid, or takes that back. */
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

import type Stripe from 'stripe';
import { subscriptionOf } from '../objects/invoices';
import type { World } from '../world/world';
import { collectInvoice, type Collected } from './collecting';
import { endSubscription } from './ending';

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

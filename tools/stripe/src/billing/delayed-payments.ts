import type Stripe from 'stripe';
import type { World } from '../world/world';
import { afterFailure, afterPayment, beginPayment, markFailed, markPaid, refuseMoney, takeMoney } from './collecting';

/** A debit is on its way: the subscription is active, its first invoice open. In a trial nothing is to be debited. */
export function beginDelayedPayment(world: World, subscription: Stripe.Subscription, invoice: Stripe.Invoice): void {
  if (invoice.amount_due === 0) {
    markPaid(world, invoice);
    return;
  }
  const intent = beginPayment(world, invoice);
  Object.assign(intent, { status: 'processing' });
  world.tell('payment_intent.processing', intent);
  invoice.attempted = true;
  world.change(subscription, 'customer.subscription.updated', { status: 'active' });
}

/** Days later the bank has answered. */
export function endDelayedPayment(
  world: World,
  session: Stripe.Checkout.Session,
  outcome: 'succeeded' | 'failed',
): void {
  const invoice = world.invoices.get(session.invoice as string)!;
  const subscription = world.subscriptions.get(session.subscription as string)!;
  const intent = world.intentOf(invoice.id)!;
  if (outcome === 'succeeded') {
    takeMoney(world, intent, subscription.default_payment_method as string | null);
    markPaid(world, invoice);
    afterPayment(world, subscription, invoice);
    session.payment_status = 'paid';
    world.tell('checkout.session.async_payment_succeeded', session);
    return;
  }
  refuseMoney(world, intent, 'declines');
  markFailed(world, invoice);
  afterFailure(world, subscription, invoice);
  world.tell('checkout.session.async_payment_failed', session);
}

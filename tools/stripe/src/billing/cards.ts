import type Stripe from 'stripe';
import { aPaymentMethod } from '../objects/customers';
import type { Card, World } from '../world/world';

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

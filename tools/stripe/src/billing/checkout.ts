import type Stripe from 'stripe';
import { aSubscription } from '../world/objects';
import { DAY_SECONDS, periodAt } from '../world/stripe-time';
import type { World } from '../world/world';
import { payInvoice } from './collecting';
import { firstInvoice } from './invoicing';

/** The cards of the hosted page; `good_then_declines` pays now and fails at every later invoice. */
export type CheckoutCard = 'good' | 'declined' | 'good_then_declines';

/**
 * Pays, as the button of the hosted page does. A declined card changes nothing: the page stays open.
 * @returns whether it is paid
 */
export function completeCheckout(world: World, session: Stripe.Checkout.Session, card: CheckoutCard): boolean {
  if (session.status !== 'open') throw new Error(`The session is ${session.status}.`);
  if (card === 'declined') return false;
  const customer = world.customers.get(session.customer as string);
  if (!customer) throw new Error('The development Stripe sells to a customer who is there.');
  const now = world.time.seconds;
  const { price, trialDays, metadata } = world.plannedSubscriptions.get(session.id)!;
  const isTrial = trialDays !== null;
  const period = isTrial ? { start: now, end: now + trialDays * DAY_SECONDS } : periodAt(now, price, now);
  const wanted = { customer: customer.id, prices: [{ price, period }], created: now, isTrial, metadata };
  const subscription = world.add(world.subscriptions, aSubscription(wanted), 'customer.subscription.created');
  const invoice = firstInvoice(world, subscription);
  world.cards.set(customer.id, 'good');
  payInvoice(world, invoice);
  if (card === 'good_then_declines') world.cards.set(customer.id, 'declines');
  world.change(session, 'checkout.session.completed', {
    invoice: invoice.id,
    payment_status: isTrial ? 'no_payment_required' : 'paid',
    status: 'complete',
    subscription: subscription.id,
    url: null,
  });
  return true;
}

import type Stripe from 'stripe';
import { anInvoice, type NewLine, type Period, periodLine } from '../world/objects';
import type { World } from '../world/world';
import { endOnceDiscounts, withDiscounts } from './discounting';

/** Smaller amounts are not charged: they go to the balance of the customer. */
const SMALLEST_CHARGE_CENTS = 50;

interface WantedInvoice {
  reason: Stripe.Invoice['billing_reason'];
  lines: NewLine[];
  period: Period;
}

/** A draft, with all that waited for the next invoice of this subscription; it becomes the latest one. */
export function draftInvoice(world: World, subscription: Stripe.Subscription, wanted: WantedInvoice): Stripe.Invoice {
  const lines = linesOf(world, subscription, wanted.lines);
  world.waitingLines.delete(subscription.id);
  const customer = world.customerOf(subscription);
  const invoice = anInvoice({ ...wanted, lines, subscription, customer, created: world.time.seconds });
  world.add(world.invoices, invoice, 'invoice.created');
  // One that is made by hand is none that the subscription has made.
  if (wanted.reason !== 'manual') {
    subscription.latest_invoice = invoice.id;
    endOnceDiscounts(world, subscription);
  }
  return invoice;
}

/** Those that wait, and others after their discounts. */
export function linesOf(world: World, subscription: Stripe.Subscription, lines: readonly NewLine[]): NewLine[] {
  const waiting = world.waitingLines.get(subscription.id) ?? [];
  return [...waiting, ...lines.map((line) => withDiscounts(world, subscription, line))];
}

/** An invoice that is due now. */
export function dueInvoice(world: World, subscription: Stripe.Subscription, wanted: WantedInvoice): Stripe.Invoice {
  return finalizeInvoice(world, draftInvoice(world, subscription, wanted));
}

/** Of all items. A trial begins with an invoice of nothing. */
export function firstInvoice(world: World, subscription: Stripe.Subscription): Stripe.Invoice {
  const now = world.time.seconds;
  const lines = subscription.items.data.map((item) => {
    const line = periodLine(item.price, { start: item.current_period_start, end: item.current_period_end });
    return subscription.status === 'trialing' ? { ...line, amountCents: 0 } : line;
  });
  return dueInvoice(world, subscription, { reason: 'subscription_create', lines, period: { start: now, end: now } });
}

/** Opens a draft, and takes what the customer has to their credit. */
export function finalizeInvoice(world: World, invoice: Stripe.Invoice): Stripe.Invoice {
  const finalized_at = world.time.seconds;
  const customer = world.customerOf(invoice);
  const starting_balance = customer.balance;
  const { due, ending } = balanced(invoice.total, starting_balance);
  if (ending !== starting_balance) world.change(customer, 'customer.updated', { balance: ending });
  world.change(invoice, 'invoice.finalized', {
    amount_due: due,
    amount_remaining: due,
    starting_balance,
    ending_balance: ending,
    number: invoice.id.slice(-8).toUpperCase(),
    automatically_finalizes_at: null,
    effective_at: finalized_at,
    status: 'open',
    hosted_invoice_url: `${world.address}/invoice/${invoice.id}`,
    status_transitions: { ...invoice.status_transitions, finalized_at },
  });
  return invoice;
}

/** The amount due after the credit of a customer, and the balance after it: below zero is a credit. */
export function balanced(total: number, balance: number): { due: number; ending: number } {
  const sum = total + balance;
  return sum < SMALLEST_CHARGE_CENTS ? { due: 0, ending: sum } : { due: sum, ending: 0 };
}

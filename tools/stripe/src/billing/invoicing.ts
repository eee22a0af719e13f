import type Stripe from 'stripe';
import { anInvoice, type NewLine } from '../objects/money';
import type { Period } from '../objects/sales';
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
  const customer = world.customers.get(subscription.customer as string)!;
  const waiting = world.pendingLines.get(subscription.id) ?? [];
  world.pendingLines.delete(subscription.id);
  const lines = [...waiting, ...wanted.lines.map((line) => withDiscounts(world, subscription, line))];
  const invoice = anInvoice({ ...wanted, lines, subscription, customer, created: world.time.seconds });
  world.add(world.invoices, invoice, 'invoice.created');
  // One that is made by hand is none that the subscription has made.
  if (wanted.reason !== 'manual') {
    subscription.latest_invoice = invoice.id;
    endOnceDiscounts(world, subscription);
  }
  return invoice;
}

/** Gives a draft its number and takes what the customer has to their credit. */
export function finalizeInvoice(world: World, invoice: Stripe.Invoice): Stripe.Invoice {
  const now = world.time.seconds;
  const customer = world.customers.get(invoice.customer as string)!;
  const starting = customer.balance;
  const { due, ending } = balanced(invoice.total, starting);
  if (ending !== starting) world.change(customer, 'customer.updated', { balance: ending });
  const number = `${customer.invoice_prefix}-${String(customer.next_invoice_sequence).padStart(4, '0')}`;
  customer.next_invoice_sequence = customer.next_invoice_sequence! + 1;
  Object.assign(invoice, {
    amount_due: due,
    amount_remaining: due,
    starting_balance: starting,
    ending_balance: ending,
    number,
    automatically_finalizes_at: null,
    effective_at: now,
    status: 'open',
    hosted_invoice_url: `${world.address}/invoice/${invoice.id}`,
    status_transitions: { ...invoice.status_transitions, finalized_at: now },
  });
  world.tell('invoice.finalized', invoice);
  return invoice;
}

/** The amount due after the credit of a customer, and the balance after it: below zero is a credit. */
export function balanced(total: number, balance: number): { due: number; ending: number } {
  const sum = total + balance;
  return sum < SMALLEST_CHARGE_CENTS ? { due: 0, ending: sum } : { due: sum, ending: 0 };
}

/** The line for one period of a plan. */
export function periodLine(price: Stripe.Price, period: Period): NewLine {
  const { nickname, unit_amount: amount } = price;
  return { amountCents: amount!, description: `1 × ${nickname}`, period, price };
}

/** Of the item whose period ends first. */
export function periodOf(subscription: Stripe.Subscription): Period {
  const [item] = [...subscription.items.data].sort((a, b) => a.current_period_end - b.current_period_end);
  return { start: item!.current_period_start, end: item!.current_period_end };
}

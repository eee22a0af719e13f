import type Stripe from 'stripe';
import { anInvoice, type NewLine } from '../objects/invoices';
import type { Period } from '../objects/subscriptions';
import { dateOf } from '../world/stripe-time';
import type { World } from '../world/world';
import { endOnceDiscounts, withDiscounts } from './discounting';

/** Smaller amounts are not charged: they go to the balance of the customer. */
const SMALLEST_CHARGE_CENTS = 50;

export interface WantedInvoice {
  reason: Stripe.Invoice['billing_reason'];
  lines: NewLine[];
  period: Period;
}

/** A draft, with all that waited for the next invoice of this subscription; it becomes the latest one. */
export function draftInvoice(world: World, subscription: Stripe.Subscription, wanted: WantedInvoice): Stripe.Invoice {
  const customer = world.customers.get(subscription.customer as string)!;
  const waiting = world.pendingLines.get(subscription.id) ?? [];
  world.pendingLines.delete(subscription.id);
  const invoice = anInvoice({
    ...wanted,
    lines: [...waiting, ...wanted.lines.map((line) => withDiscounts(world, subscription, line))],
    subscription,
    customer,
    created: world.time.seconds,
  });
  world.add(world.invoices, invoice, 'invoice.created');
  // One that is made by hand is none that the subscription has made.
  if (wanted.reason !== 'manual') {
    subscription.latest_invoice = invoice.id;
    endOnceDiscounts(world, subscription);
  }
  return invoice;
}

/** Gives a draft its number and takes what the customer has to their credit. */
export function finalizeInvoice(world: World, invoice: Stripe.Invoice): void {
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
    automatically_finalizes_at: null,
    effective_at: now,
    hosted_invoice_url: `${world.address}/invoice/${invoice.id}`,
    number,
    status: 'open',
    status_transitions: { ...invoice.status_transitions, finalized_at: now },
  });
  world.tell('invoice.finalized', invoice);
}

/** What is due after the credit of a customer, and what they have after it: below zero is a credit. */
export function balanced(total: number, balance: number): { due: number; ending: number } {
  const sum = total + balance;
  if (sum < SMALLEST_CHARGE_CENTS) return { due: 0, ending: sum };
  return { due: sum, ending: 0 };
}

/** The line for one period of a plan. */
export function periodLine(price: Stripe.Price, quantity: number, period: Period): NewLine {
  const { nickname, recurring, unit_amount } = price;
  const display = `$${(unit_amount! / 100).toFixed(2)} / ${recurring!.interval}`;
  return {
    amountCents: unit_amount! * quantity,
    description: `${quantity} × ${nickname} (at ${display})`,
    period,
    price,
    quantity,
    proration: false,
  };
}

export interface Part {
  price: Stripe.Price;
  quantity: number;
  /** What the whole period costs, after discounts. */
  wholeCents: number;
  from: number;
  period: Period;
}

/** A part of a period that is given back or charged because a plan changed within it. */
export function prorationLine(
  kind: 'Unused' | 'Remaining',
  { price, quantity, wholeCents, from, period }: Part,
): NewLine {
  const part = Math.round((wholeCents * (period.end - from)) / (period.end - period.start));
  const day = dateOf(from).toLocaleDateString('en-GB', {
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return {
    amountCents: kind === 'Unused' ? -part : part,
    description: `${kind} time on ${price.nickname} after ${day}`,
    period: { start: from, end: period.end },
    price,
    quantity,
    proration: true,
  };
}

/** Of the item whose period ends first. */
export function periodOf(subscription: Stripe.Subscription): Period {
  const [item] = [...subscription.items.data].sort((a, b) => a.current_period_end - b.current_period_end);
  const { current_period_start: start, current_period_end: end } = item!;
  return { start, end };
}

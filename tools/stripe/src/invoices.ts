import type Stripe from 'stripe';
import { discountsOf, discountsOn, endDiscount } from './discounts';
import { DAY_SECONDS, type Period } from './periods';
import { anObject, newId } from './schema/published';
import type { Invoice, Line, Subscription, World } from './world';

interface WantedLine {
  /** Before discounts, in the smallest unit of the currency. */
  amount: number;
  description: string;
  period: Period;
  price: Stripe.Price;
  /** Discounts are included already. */
  isProration?: boolean;
  /** An amount that somebody added: of no item of the subscription. */
  isBesides?: boolean;
}

export function aLine(world: World, subscription: Subscription, wanted: WantedLine): Line {
  const { amount, description, period, price, isProration = false, isBesides = false } = wanted;
  const { id, items, metadata } = subscription;
  const item = items.data.find((one) => one.price.id === price.id) ?? items.data[0]!;
  const type = isBesides ? 'invoice_item_details' : 'subscription_item_details';
  const details = {
    invoice_item: newId('ii'),
    proration: isProration,
    proration_details: null,
    subscription: id,
    ...(!isBesides && { subscription_item: item.id }),
  };
  const product = price.product as string;
  return anObject<Line>('line_item', {
    id: newId('il'),
    amount,
    subtotal: amount,
    currency: price.currency,
    description,
    period,
    subscription: id,
    metadata,
    quantity: 1,
    taxes: [],
    discount_amounts: isProration || isBesides ? [] : discountsOn(world, subscription, amount, product),
    discountable: !isProration,
    parent: { invoice_item_details: null, subscription_item_details: null, [type]: details, type },
    pricing: { price_details: { price: price.id, product }, type: 'price_details', unit_amount_decimal: null },
  });
}

/** The line for one period of a plan. @param amount of its price, unless it is free */
export function periodLine(
  world: World,
  subscription: Subscription,
  price: Stripe.Price,
  period: Period,
  amount = price.unit_amount!,
): Line {
  return aLine(world, subscription, { amount, description: `1 × ${price.nickname}`, period, price });
}

/** The sum of lines, after discounts. */
export function totalOf(lines: readonly Line[]): number {
  const sum = (amounts: readonly { amount: number }[]) => amounts.reduce((total, { amount }) => total + amount, 0);
  return sum(lines) - sum(lines.flatMap(({ discount_amounts: discounts }) => discounts ?? []));
}

interface WantedInvoice {
  reason: Invoice['billing_reason'];
  /** Besides all that waits for the next invoice of the subscription. */
  lines: readonly Line[];
  /** The period before the one that is billed. */
  period: Period;
}

/** A draft that is not stored. */
export function anInvoice(world: World, subscription: Subscription, wanted: WantedInvoice): Invoice {
  const { reason, period } = wanted;
  const id = newId('in');
  const lines = [...(world.waitingLines.get(subscription.id) ?? []), ...wanted.lines];
  const total = totalOf(lines);
  const data = lines.map((line) => ({ ...line, invoice: id }));
  const details = { metadata: subscription.metadata, subscription: subscription.id };
  return anObject<Invoice>('invoice', {
    id,
    created: world.seconds,
    billing_reason: reason,
    currency: subscription.currency,
    status: 'draft',
    auto_advance: true,
    customer: subscription.customer,
    metadata: {},
    discounts: [...subscription.discounts],
    subtotal: lines.reduce((sum, { amount }) => sum + amount, 0),
    total,
    starting_balance: world.customers.get(subscription.customer).balance,
    period_start: period.start,
    period_end: period.end,
    issuer: { type: 'self' },
    lines: { object: 'list', data, has_more: false, url: `/v1/invoices/${id}/lines` },
    parent: { quote_details: null, subscription_details: details, type: 'subscription_details' },
    amount_due: Math.max(total, 0),
    amount_remaining: Math.max(total, 0),
  });
}

/** A draft; it becomes the latest invoice of its subscription, unless it was made by hand. */
export function draftInvoice(world: World, subscription: Subscription, wanted: WantedInvoice): Invoice {
  const invoice = world.invoices.add(anInvoice(world, subscription, wanted), 'invoice.created');
  world.waitingLines.delete(subscription.id);
  if (wanted.reason === 'manual') return invoice;
  subscription.latest_invoice = invoice.id;
  for (const { coupon, discount } of discountsOf(world, subscription)) {
    if (coupon.duration === 'once') endDiscount(world, subscription, discount);
  }
  return invoice;
}

export function dueInvoice(world: World, subscription: Subscription, wanted: WantedInvoice): Invoice {
  return finalizeInvoice(world, draftInvoice(world, subscription, wanted));
}

/** Opens a draft, and takes what the customer has to their credit. */
export function finalizeInvoice(world: World, invoice: Invoice): Invoice {
  const finalized_at = world.seconds;
  const customer = world.customers.get(invoice.customer);
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

/** Smaller amounts are not charged: they go to the balance of the customer. */
const SMALLEST_CHARGE_CENTS = 50;

/** The amount due after the credit of a customer, and the balance after it: below zero is a credit. */
export function balanced(total: number, balance: number): { due: number; ending: number } {
  const sum = total + balance;
  return sum < SMALLEST_CHARGE_CENTS ? { due: 0, ending: sum } : { due: sum, ending: 0 };
}

export function subscriptionOf(invoice: Invoice): string {
  return invoice.parent!.subscription_details!.subscription as string;
}

/** Days after the first failure at which a payment is tried again. */
const RETRY_DAYS = [1, 3, 5];

/** Tries to take the money of an open invoice. @returns whether it is paid */
export function collect(world: World, invoice: Invoice): boolean {
  const { amount_due: amount, currency, customer, id, status_transitions: times } = invoice;
  if (amount > 0) {
    invoice.attempt_count += 1;
    if (isDeclined(world, customer)) {
      const days = RETRY_DAYS[invoice.attempt_count - 1];
      const next = days === undefined ? null : times.finalized_at! + days * DAY_SECONDS;
      const tries = { attempted: true, auto_advance: next !== null, next_payment_attempt: next };
      world.change(invoice, 'invoice.payment_failed', tries);
      return false;
    }
    const payment_intent = newId('pi');
    world.payments.add({
      amount_paid: amount,
      amount_requested: amount,
      currency,
      invoice: id,
      is_default: true,
      status: 'paid',
      payment: { payment_intent, type: 'payment_intent' },
    });
    const charge = { id: chargeId(id), amount, amount_captured: amount, currency, customer, payment_intent };
    world.charges.add({ ...charge, captured: true, paid: true, status: 'succeeded' }, 'charge.succeeded');
  }
  const paid = { status: 'paid' as const, amount_paid: amount, amount_remaining: 0, attempted: true };
  const status_transitions = { ...times, paid_at: world.seconds };
  Object.assign(invoice, { ...paid, auto_advance: false, next_payment_attempt: null, status_transitions });
  world.record('invoice.paid', invoice);
  world.record('invoice.payment_succeeded', invoice);
  return true;
}

/** Whether the customer's next payment is refused. */
export function isDeclined(world: World, customer: unknown): boolean {
  return world.cards.get(customer as string) === 'declines';
}

/** Of the charge that has paid an invoice. */
export function chargeId(invoice: string): string {
  return invoice.replace('in_', 'ch_');
}

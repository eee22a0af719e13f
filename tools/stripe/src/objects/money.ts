import type Stripe from 'stripe';
import { anObject } from '../schema/published';
import { newId } from '../world/ids';
import { decimal, type Period } from './sales';

export interface NewLine {
  /** Before discounts. */
  amountCents: number;
  /** Ids of discounts, and what each takes. */
  discounts?: readonly { discount: string; amount: number }[];
  description: string;
  period: Period;
  price: Stripe.Price;
  proration?: boolean;
  /** An amount that somebody added: of no item of the subscription. */
  isBesides?: boolean;
}

/** The amount of a line, after discounts. */
export function netOf({ amountCents, discounts = [] }: NewLine): number {
  return discounts.reduce((left, { amount }) => left - amount, amountCents);
}

export interface NewInvoice {
  subscription: Stripe.Subscription;
  customer: Stripe.Customer;
  reason: Stripe.Invoice['billing_reason'];
  created: number;
  /** The period before the one that is billed. */
  period: Period;
  lines: NewLine[];
}

/** A draft of a subscription. Its amounts are final, but for the credit of the customer. */
export function anInvoice({ subscription, customer, reason, created, period, lines }: NewInvoice): Stripe.Invoice {
  const id = newId('in');
  const subtotal = lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const total = lines.reduce((sum, line) => sum + netOf(line), 0);
  const data = lines.map((line) => aLine(line, id, subscription));
  return anObject('invoice', {
    id,
    created,
    billing_reason: reason,
    currency: subscription.currency,
    status: 'draft',
    auto_advance: true,
    customer: customer.id,
    customer_email: customer.email,
    metadata: {},
    discounts: [...subscription.discounts],
    subtotal,
    subtotal_excluding_tax: subtotal,
    total,
    total_excluding_tax: total,
    total_taxes: [],
    amount_due: Math.max(total, 0),
    amount_remaining: Math.max(total, 0),
    starting_balance: customer.balance,
    period_start: period.start,
    period_end: period.end,
    issuer: { type: 'self' },
    lines: { object: 'list', data, has_more: false, url: `/v1/invoices/${id}/lines` },
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    total_discount_amounts: lines.flatMap(({ discounts = [] }) => discounts),
  });
}

function aLine(line: NewLine, invoice: string, subscription: Stripe.Subscription): Stripe.InvoiceLineItem {
  const { amountCents, description, discounts = [], isBesides = false, period, price, proration = false } = line;
  return anObject('line_item', {
    id: newId('il'),
    amount: amountCents,
    subtotal: amountCents,
    currency: price.currency,
    description,
    period,
    invoice,
    subscription: subscription.id,
    metadata: subscription.metadata,
    quantity: 1,
    taxes: [],
    discount_amounts: [...discounts],
    discountable: !proration,
    discounts: proration ? [] : [...subscription.items.data[0]!.discounts],
    parent: parentOf(subscription, { price, proration, isBesides }),
    pricing: {
      price_details: { price: price.id, product: price.product as string },
      type: 'price_details',
      unit_amount_decimal: decimal(price.unit_amount!),
    },
  });
}

function parentOf(
  { id: subscription, items }: Stripe.Subscription,
  { price, proration, isBesides }: { price: Stripe.Price; proration: boolean; isBesides: boolean },
): Stripe.InvoiceLineItem.Parent {
  const details = { proration, proration_details: { credited_items: null }, subscription };
  if (isBesides) {
    const invoice_item_details = { invoice_item: newId('ii'), ...details };
    return { invoice_item_details, subscription_item_details: null, type: 'invoice_item_details' };
  }
  const { id: subscription_item } = items.data.find((item) => item.price.id === price.id) ?? items.data[0]!;
  const invoice_item = proration ? newId('ii') : null;
  const subscription_item_details = { invoice_item, ...details, subscription_item };
  return { invoice_item_details: null, subscription_item_details, type: 'subscription_item_details' };
}

/** The subscription that an invoice is for. */
export function subscriptionOf(invoice: Stripe.Invoice): string {
  return invoice.parent!.subscription_details!.subscription as string;
}

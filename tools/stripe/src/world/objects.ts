import type Stripe from 'stripe';
import { anObject, newId } from '../schema/published';

export interface Period {
  start: number;
  end: number;
}

export interface NewPrice {
  id?: string;
  product: string;
  nickname: string;
  interval: Stripe.Price.Recurring.Interval;
  intervalCount?: number;
  currency?: string;
  /** In the smallest unit of the currency. */
  amountCents: number;
  created: number;
}

export function aPrice({ intervalCount = 1, currency = 'usd', ...wanted }: NewPrice): Stripe.Price {
  const { id = newId('price'), product, nickname, interval, amountCents, created } = wanted;
  return anObject('price', {
    id,
    product,
    nickname,
    currency,
    created,
    active: true,
    type: 'recurring',
    unit_amount: amountCents,
    recurring: anObject('recurring', { interval, interval_count: intervalCount, usage_type: 'licensed' }),
  });
}

export function aCustomer(created: number, metadata: Stripe.Metadata): Stripe.Customer {
  return anObject('customer', { id: newId('cus', 14), balance: 0, created, metadata });
}

export interface NewSubscription {
  customer: string;
  /** One item for each. */
  prices: readonly { price: Stripe.Price; period: Period }[];
  created: number;
  isTrial: boolean;
  metadata: Stripe.Metadata;
}

/** A subscription whose first invoice is not paid yet, or in its trial. */
export function aSubscription({ created, customer, isTrial, metadata, prices }: NewSubscription): Stripe.Subscription {
  const id = newId('sub');
  const { end } = prices[0]!.period;
  const data = prices.map(({ price, period }) =>
    anObject<Stripe.SubscriptionItem>('subscription_item', {
      id: newId('si', 14),
      created,
      subscription: id,
      quantity: 1,
      price,
      current_period_start: period.start,
      current_period_end: period.end,
    }),
  );
  return anObject('subscription', {
    id,
    created,
    start_date: created,
    customer,
    metadata,
    currency: prices[0]!.price.currency,
    billing_cycle_anchor: isTrial ? end : created,
    items: { object: 'list', data, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    ...(isTrial ? { status: 'trialing', trial_start: created, trial_end: end } : { status: 'incomplete' }),
  });
}

/** Ended for good: only its metadata can change. */
export function isOver({ status }: Pick<Stripe.Subscription, 'status'>): boolean {
  return status === 'canceled';
}

/** Its first item: we sell one plan at a time, and others may sell more. */
export function itemOf(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  return subscription.items.data[0]!;
}

/** Items with another price or period, as a value for a change. */
export function itemsWith(
  { items }: Stripe.Subscription,
  { price, period }: { price?: Stripe.Price; period?: Period },
): Stripe.Subscription['items'] {
  const [first, ...more] = items.data;
  const times = period && { current_period_start: period.start, current_period_end: period.end };
  return { ...items, data: [{ ...first!, ...(price && { price }), ...times }, ...more] };
}

/** Of the item whose period ends first. */
export function periodOf({ items }: Stripe.Subscription): Period {
  const [item] = [...items.data].sort((a, b) => a.current_period_end - b.current_period_end);
  return { start: item!.current_period_start, end: item!.current_period_end };
}

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

/** The line for one period of a plan. */
export function periodLine(price: Stripe.Price, period: Period): NewLine {
  return { amountCents: price.unit_amount!, description: `1 × ${price.nickname}`, period, price };
}

/** The sum of lines, after discounts. */
export function totalOf(lines: readonly NewLine[]): number {
  const taken = lines.flatMap(({ discounts = [] }) => discounts);
  const off = taken.reduce((sum, { amount }) => sum + amount, 0);
  return lines.reduce((sum, { amountCents }) => sum + amountCents, 0) - off;
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
  const total = totalOf(lines);
  const details = { metadata: subscription.metadata, subscription: subscription.id };
  return anObject('invoice', {
    id,
    created,
    billing_reason: reason,
    currency: subscription.currency,
    status: 'draft',
    auto_advance: true,
    customer: customer.id,
    metadata: {},
    discounts: [...subscription.discounts],
    subtotal: lines.reduce((sum, { amountCents }) => sum + amountCents, 0),
    total,
    amount_due: Math.max(total, 0),
    amount_remaining: Math.max(total, 0),
    starting_balance: customer.balance,
    period_start: period.start,
    period_end: period.end,
    issuer: { type: 'self' },
    lines: {
      object: 'list',
      data: lines.map((line) => aLine(line, id, subscription)),
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    parent: { quote_details: null, subscription_details: details, type: 'subscription_details' },
  });
}

function aLine(line: NewLine, invoice: string, { id, items, metadata }: Stripe.Subscription): Stripe.InvoiceLineItem {
  const { amountCents, description, discounts = [], isBesides = false, period, price, proration = false } = line;
  const item = items.data.find((one) => one.price.id === price.id) ?? items.data[0]!;
  const type = isBesides ? 'invoice_item_details' : 'subscription_item_details';
  const details = {
    invoice_item: newId('ii'),
    proration,
    proration_details: null,
    subscription: id,
    ...(!isBesides && { subscription_item: item.id }),
  };
  const none = { invoice_item_details: null, subscription_item_details: null };
  const parent = { ...none, [type]: details, type } as Stripe.InvoiceLineItem.Parent;
  return anObject('line_item', {
    id: newId('il'),
    amount: amountCents,
    subtotal: amountCents,
    currency: price.currency,
    description,
    period,
    invoice,
    subscription: id,
    metadata,
    quantity: 1,
    taxes: [],
    discount_amounts: [...discounts],
    discountable: !proration,
    parent,
    pricing: {
      price_details: { price: price.id, product: price.product as string },
      type: 'price_details',
      unit_amount_decimal: null,
    },
  });
}

/** The subscription that an invoice is for. */
export function subscriptionOf(invoice: Stripe.Invoice): string {
  return invoice.parent!.subscription_details!.subscription as string;
}

import type Stripe from 'stripe';
import { newId } from '../world/ids';
import { decimal } from './prices';
import type { Period } from './subscriptions';

/** What one discount takes. */
export interface DiscountAmount {
  /** Its id. */
  discount: string;
  amountCents: number;
}

export interface NewLine {
  /** Before discounts. */
  amountCents: number;
  discounts?: readonly DiscountAmount[];
  description: string;
  period: Period;
  price: Stripe.Price;
  quantity: number;
  proration: boolean;
  /** An amount that somebody added: of no item of the subscription. */
  isBesides?: boolean;
}

/** What a line comes to, after discounts. */
export function netOf({ amountCents, discounts = [] }: NewLine): number {
  return discounts.reduce((left, { amountCents: off }) => left - off, amountCents);
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
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Development',
    account_tax_ids: null,
    amount_due: Math.max(total, 0),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_paid_off_stripe: 0,
    amount_remaining: Math.max(total, 0),
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [...subscription.discounts],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: 'list',
      data: lines.map((line) => aLine(line, id, subscription)),
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: null,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: customer.balance,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal,
    test_clock: null,
    total,
    total_discount_amounts: amountsOf(lines.flatMap(({ discounts = [] }) => discounts)),
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

function aLine(line: NewLine, invoice: string, subscription: Stripe.Subscription): Stripe.InvoiceLineItem {
  return {
    id: newId('il'),
    object: 'line_item',
    amount: line.amountCents,
    currency: line.price.currency,
    description: line.description,
    discount_amounts: amountsOf(line.discounts ?? []),
    discountable: !line.proration,
    discounts: line.proration ? [] : [...subscription.items.data[0]!.discounts],
    invoice,
    livemode: false,
    metadata: subscription.metadata,
    parent: line.isBesides ? besides(subscription) : ofItem(line, subscription),
    period: line.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: line.price.id, product: line.price.product as string },
      type: 'price_details',
      unit_amount_decimal: decimal(line.price.unit_amount!),
    },
    quantity: line.quantity,
    quantity_decimal: decimal(line.quantity),
    subscription: subscription.id,
    subtotal: line.amountCents,
    taxes: [],
  };
}

function ofItem(line: NewLine, subscription: Stripe.Subscription): Stripe.InvoiceLineItem.Parent {
  return {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: line.proration ? newId('ii') : null,
      proration: line.proration,
      proration_details: { credited_items: null },
      subscription: subscription.id,
      subscription_item:
        subscription.items.data.find(({ price }) => price.id === line.price.id)?.id ?? subscription.items.data[0]!.id,
    },
    type: 'subscription_item_details',
  };
}

function besides(subscription: Stripe.Subscription): Stripe.InvoiceLineItem.Parent {
  return {
    invoice_item_details: {
      invoice_item: newId('ii'),
      proration: false,
      proration_details: { credited_items: null },
      subscription: subscription.id,
    },
    subscription_item_details: null,
    type: 'invoice_item_details',
  };
}

function amountsOf(taken: readonly DiscountAmount[]): Stripe.Invoice.TotalDiscountAmount[] {
  return taken.map(({ discount, amountCents: amount }) => ({ amount, discount }));
}

/** The subscription that an invoice is for. */
export function subscriptionOf(invoice: Stripe.Invoice): string {
  return invoice.parent!.subscription_details!.subscription as string;
}

import { copyOf } from '../world/ids';

/** `new`: since 2025-03-31. `old`: before, with the period on the subscription and the subscription on the invoice. */
export type ApiShape = 'new' | 'old';

/** The version that the client of this workspace speaks, and the last one of the old shape. */
const VERSIONS: Record<ApiShape, string> = { new: '2026-08-26.dahlia', old: '2025-02-24.acacia' };
const FIRST_NEW = '2025-03-31';

export function versionOf(shape: ApiShape): string {
  return VERSIONS[shape];
}

/** The shape that a version of the API has. */
export function shapeOf(version: string): ApiShape {
  return version.slice(0, FIRST_NEW.length) >= FIRST_NEW ? 'new' : 'old';
}

export type Values = Record<string, unknown>;

/** Links that only the old shape has. */
export interface OldLinks {
  price(id: string): object | undefined;
  discount(id: string): object | undefined;
  coupon(id: string): object | undefined;
  /** The intent that pays an invoice. */
  intentOf(invoice: string): { id: string; latest_charge: unknown } | undefined;
  /** The invoice that an intent pays. */
  invoiceOf(intent: string): string | null;
}

/** Copies of objects in one of the two shapes. */
export class Rendering {
  constructor(private readonly links: OldLinks) {}

  render(object: object, shape: ApiShape): Values {
    const copy = copyOf(object) as Values;
    return shape === 'new' ? copy : this.older(copy);
  }

  private older(value: Values): Values {
    if (value.object === 'subscription') return this.olderSubscription(value);
    if (value.object === 'discount') return this.olderDiscount(value);
    if (value.object === 'invoice') return this.olderInvoice(value);
    if (value.object === 'charge') return { ...value, invoice: this.links.invoiceOf(value.payment_intent as string) };
    if (value.object === 'payment_intent') return { ...value, invoice: this.links.invoiceOf(value.id as string) };
    return value;
  }

  private olderInvoice(invoice: Values): Values {
    const { parent, lines, payments: _payments, amount_overpaid: _overpaid, ...rest } = invoice;
    const details = (parent as { subscription_details: Values }).subscription_details;
    const list = lines as { data: Values[] };
    const intent = this.links.intentOf(invoice.id as string);
    return {
      ...rest,
      charge: intent?.latest_charge ?? null,
      discount: null,
      lines: { ...list, data: list.data.map((line) => this.olderLine(line)) },
      paid: invoice.status === 'paid',
      paid_out_of_band: false,
      payment_intent: intent?.id ?? null,
      subscription: details.subscription,
      subscription_details: { metadata: details.metadata },
      tax: null,
    };
  }

  private olderLine(line: Values): Values {
    const { parent, pricing, taxes: _taxes, ...rest } = line;
    const { subscription_item_details: ofItem, invoice_item_details: besides } = parent as Record<
      string,
      Values | null
    >;
    const details = (ofItem ?? besides)!;
    const { price_details: price } = pricing as { price_details: { price: string } };
    return {
      ...rest,
      price: this.links.price(price.price) ?? null,
      proration: details.proration,
      proration_details: details.proration_details,
      subscription_item: details.subscription_item ?? null,
      type: ofItem ? 'subscription' : 'invoiceitem',
    };
  }

  private olderSubscription(subscription: Values): Values {
    const [discount] = subscription.discounts as string[];
    const items = subscription.items as { data: Values[] };
    const starts = items.data.map(({ current_period_start: start }) => start as number);
    const ends = items.data.map(({ current_period_end: end }) => end as number);
    const data = items.data.map(({ current_period_start: _start, current_period_end: _end, ...item }) => item);
    const { billing_mode: _mode, billing_schedules: _schedules, ...rest } = subscription;
    return {
      ...rest,
      current_period_start: Math.max(...starts),
      current_period_end: Math.max(...ends),
      discount: discount === undefined ? null : this.olderDiscount(this.links.discount(discount) as Values),
      items: { ...items, data },
      plan: data[0]?.plan ?? null,
      quantity: data[0]?.quantity ?? 1,
    };
  }

  /** With its coupon, whether that was asked for or not. */
  private olderDiscount({ source, ...discount }: Values): Values {
    const { coupon } = source as { coupon: string };
    return { ...discount, coupon: this.links.coupon(coupon) };
  }
}

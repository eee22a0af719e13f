import { API_VERSION } from '../schema/published';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';

/** `new`: since 2025-03-31. `old`: before, with the period on the subscription and the subscription on the invoice. */
export type ApiShape = 'new' | 'old';

const OLD_VERSION = '2025-02-24.acacia';
const FIRST_NEW = '2025-03-31';

export function versionOf(shape: ApiShape): string {
  return shape === 'new' ? API_VERSION : OLD_VERSION;
}

/** The shape that a version of the API has. */
export function shapeOf(version: string): ApiShape {
  return version.slice(0, FIRST_NEW.length) >= FIRST_NEW ? 'new' : 'old';
}

export type Values = Record<string, unknown>;

/** Copies of objects in one of the two shapes. */
export class Rendering {
  constructor(private readonly world: World) {}

  render(object: object, shape: ApiShape): Values {
    const copy = copyOf(object) as Values;
    return shape === 'new' ? copy : this.older(copy);
  }

  private older(value: Values): Values {
    if (value.object === 'subscription') return this.olderSubscription(value);
    if (value.object === 'discount') return this.olderDiscount(value);
    if (value.object === 'invoice') return this.olderInvoice(value);
    if (value.object !== 'charge') return value;
    return { ...value, invoice: this.world.invoiceOf(value.payment_intent as string) };
  }

  private olderInvoice({ parent, lines, ...invoice }: Values): Values {
    const details = (parent as { subscription_details: Values }).subscription_details;
    const list = lines as { data: Values[] };
    const intent =
      (this.world.payments.get(invoice.id as string)?.payment.payment_intent as string | undefined) ?? null;
    return {
      ...invoice,
      paid: invoice.status === 'paid',
      tax: null,
      subscription: details.subscription,
      payment_intent: intent,
      charge: this.world.chargesByIntent.get(intent ?? '') ?? null,
      subscription_details: { metadata: details.metadata },
      lines: { ...list, data: list.data.map((line) => this.olderLine(line)) },
    };
  }

  private olderLine({ parent, pricing, ...line }: Values): Values {
    const { subscription_item_details: ofItem, invoice_item_details: besides } = parent as Record<
      string,
      Values | null
    >;
    const { price_details: details } = pricing as { price_details: { price: string } };
    return {
      ...line,
      price: this.world.prices.get(details.price),
      proration: (ofItem ?? besides)!.proration,
      subscription_item: ofItem?.subscription_item ?? null,
      type: ofItem ? 'subscription' : 'invoiceitem',
    };
  }

  private olderSubscription(subscription: Values): Values {
    const [discount] = subscription.discounts as string[];
    const items = subscription.items as { data: Values[] };
    const data = items.data.map(({ current_period_start: _start, current_period_end: _end, ...item }) => item);
    return {
      ...subscription,
      current_period_start: Math.max(...items.data.map(({ current_period_start: start }) => start as number)),
      current_period_end: Math.max(...items.data.map(({ current_period_end: end }) => end as number)),
      discount: discount === undefined ? null : this.olderDiscount(this.world.discounts.get(discount)!),
      items: { ...items, data },
    };
  }

  /** With its coupon, whether that was asked for or not. */
  private olderDiscount({ source, ...discount }: object & { source?: unknown }): Values {
    return { ...discount, coupon: this.world.coupons.get((source as { coupon: string }).coupon) };
  }
}

import type Stripe from 'stripe';
import { API_VERSION, newId } from '../schema/published';
import type { NewLine } from './objects';
import type { StripeTime } from './stripe-time';

export type EventType = Stripe.Event['type'];

/** An event of any type, without the union over all of them. */
export interface StripeEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: Record<string, unknown> };
  livemode: false;
  pending_webhooks: number;
  request: null;
  type: EventType;
}

/** The outcome of a charge of a customer's card. */
export type Card = 'good' | 'declines';

/** The state of a subscription after the last failed try, as an account sets it in Stripe's dashboard. */
export type AfterRetries = 'cancel' | 'unpaid';

interface Stored {
  id: string;
  object: string;
}

/** All that the development Stripe knows. Objects refer to each other by id; every change is recorded as an event. */
export class World {
  readonly prices = new Map<string, Stripe.Price>();
  readonly coupons = new Map<string, Stripe.Coupon>();
  readonly discounts = new Map<string, Stripe.Discount>();
  /** By coupon, where it is not for all of them. */
  readonly productsOfCoupons = new Map<string, readonly string[]>();
  readonly customers = new Map<string, Stripe.Customer>();
  readonly deletedCustomers = new Set<string>();
  readonly sessions = new Map<string, Stripe.Checkout.Session>();
  readonly portalSessions = new Map<string, Stripe.BillingPortal.Session>();
  readonly subscriptions = new Map<string, Stripe.Subscription>();
  readonly invoices = new Map<string, Stripe.Invoice>();
  /** By invoice: which intent pays it, as neither names the other. */
  readonly payments = new Map<string, Stripe.InvoicePayment>();
  readonly charges = new Map<string, Stripe.Charge>();
  readonly refunds = new Map<string, Stripe.Refund>();
  readonly disputes = new Map<string, Stripe.Dispute>();
  /** By customer. */
  readonly cards = new Map<string, Card>();
  /** By subscription: amounts that wait for its next invoice. */
  readonly waitingLines = new Map<string, NewLine[]>();
  /** By session: what its subscription will get. */
  readonly plannedSubscriptions = new Map<
    string,
    { price: Stripe.Price; trialDays: number | null; metadata: Stripe.Metadata }
  >();
  /** In the order in which they happened. */
  readonly events: StripeEvent[] = [];
  onRecorded: (event: StripeEvent) => void = () => undefined;
  /** Where its pages are. */
  address = '';

  constructor(
    readonly time: StripeTime,
    readonly afterRetries: AfterRetries,
  ) {}

  /** An object that others name by its id. */
  find(id: string): object | undefined {
    const named: ReadonlyMap<string, object>[] = [this.customers, this.subscriptions, this.invoices];
    return [...named, this.coupons, this.discounts]
      .map((table) => table.get(id))
      .find((object) => object !== undefined);
  }

  chargeOf(invoice: string): Stripe.Charge | undefined {
    const intent = this.payments.get(invoice)?.payment.payment_intent;
    return [...this.charges.values()].find(({ payment_intent: paid }) => paid === intent);
  }

  customerOf({ customer }: { customer: string | object | null }): Stripe.Customer {
    return this.customers.get(customer as string)!;
  }

  /** Stores a new object and records the event of its creation. */
  add<Kept extends Stored>(table: Map<string, Kept>, object: Kept, type?: EventType): Kept {
    table.set(object.id, object);
    if (type) this.record(type, object);
    return object;
  }

  /** Changes members of a stored object, and records it. */
  change<Kept extends Stored>(object: Kept, type: EventType, changes: Partial<Kept>): void {
    this.record(type, Object.assign(object, changes));
  }

  /** Records an event about an object as it is now. */
  record(type: EventType, object: Stored): void {
    const event: StripeEvent = {
      id: newId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created: this.time.seconds,
      data: { object: structuredClone(object) as unknown as Record<string, unknown> },
      livemode: false,
      pending_webhooks: 0,
      request: null,
      type,
    };
    this.events.push(event);
    this.onRecorded(event);
  }
}

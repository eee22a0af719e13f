import { type Clock, ManualClock } from '@evenkeel/kernel';
import type Stripe from 'stripe';
import type { Deliveries } from './deliveries';
import { secondsOf } from './periods';
import { anObject, API_VERSION, newId, published } from './schema/published';

export type Subscription = Stripe.Subscription;
export type Invoice = Stripe.Invoice;
export type Line = Stripe.InvoiceLineItem;
export type EventType = Stripe.Event['type'];

/** An event of any type, without the union over all of them. */
export interface StripeEvent {
  id: string;
  created: number;
  type: EventType;
  api_version: string;
  pending_webhooks: number;
  data: { object: Record<string, unknown> };
}

/** Objects of one kind, by their age. */
class Table<Kept extends { id: string }> {
  private readonly byId = new Map<string, Kept>();

  /** @param kind name of its schema @param prefix of ids */
  constructor(
    private readonly world: World,
    private readonly kind: string,
    private readonly prefix: string,
  ) {}

  get all(): Kept[] {
    return [...this.byId.values()];
  }

  find(id: unknown): Kept | undefined {
    return this.byId.get(id as string);
  }

  /** @param param of a call, where its path does not name the object @throws Refusal */
  get(id: unknown, param?: string): Kept {
    const object = this.find(id);
    if (object) return object;
    const named = { code: 'resource_missing', param: param ?? 'id' };
    throw new Refusal(`No such ${this.kind}: '${String(id)}'`, named, param === undefined ? 404 : 400);
  }

  /** Stores a new object, and records the event of its creation. */
  add(stated: Partial<Kept>, type?: EventType): Kept {
    const isDated = 'created' in published.schemas[this.kind]!.properties!;
    const given = { id: newId(this.prefix), ...(isDated && { created: this.world.seconds }), ...stated };
    const object = anObject<Kept>(this.kind, given);
    this.byId.set(object.id, object);
    if (type) this.world.record(type, object);
    return object;
  }

  delete(object: Kept, type: EventType): void {
    this.byId.delete(object.id);
    this.world.record(type, object);
  }
}

/** The outcome of a charge of a customer's card. */
export type Card = 'good' | 'declines';

/** The state of a subscription after the last failed try, as an account sets it in Stripe's dashboard. */
export type AfterRetries = 'cancel' | 'unpaid';

/** All that the development Stripe knows. Objects refer to each other by id; every change is recorded as an event. */
export class World {
  readonly charges = new Table<Stripe.Charge>(this, 'charge', 'ch');
  readonly coupons = new Table<Stripe.Coupon>(this, 'coupon', 'coupon');
  readonly customers = new Table<Stripe.Customer>(this, 'customer', 'cus');
  readonly discounts = new Table<Stripe.Discount>(this, 'discount', 'di');
  readonly disputes = new Table<Stripe.Dispute>(this, 'dispute', 'du');
  readonly events = new Table<StripeEvent>(this, 'event', 'evt');
  readonly invoices = new Table<Invoice>(this, 'invoice', 'in');
  readonly payments = new Table<Stripe.InvoicePayment>(this, 'invoice_payment', 'inpay');
  readonly portalSessions = new Table<Stripe.BillingPortal.Session>(this, 'billing_portal.session', 'bps');
  readonly prices = new Table<Stripe.Price>(this, 'price', 'price');
  readonly refunds = new Table<Stripe.Refund>(this, 'refund', 're');
  readonly sessions = new Table<Stripe.Checkout.Session>(this, 'checkout.session', 'cs_test');
  readonly subscriptions = new Table<Subscription>(this, 'subscription', 'sub');
  readonly deletedCustomers = new Set<string>();
  /** By customer. */
  readonly cards = new Map<string, Card>();
  /** By subscription: amounts that wait for its next invoice. */
  readonly waitingLines = new Map<string, Line[]>();
  /** By session: what is sold on its page. */
  readonly offers = new Map<string, { price: Stripe.Price; trialDays: number | null; metadata: Stripe.Metadata }>();
  /** By coupon, where it is not for all products. */
  readonly productsOfCoupons = new Map<string, readonly string[]>();
  address = '';
  private aheadMs = 0;
  private instant: Date | null = null;

  constructor(
    private readonly clock: Clock,
    readonly afterRetries: AfterRetries,
    private readonly deliveries: Deliveries,
  ) {}

  /** Present time: that of the clock, moved ahead by `moveTo`, or an instant that is being caught up with. */
  now(): Date {
    return this.instant ?? new Date(this.clock.now().getTime() + this.aheadMs);
  }

  get seconds(): number {
    return secondsOf(this.now());
  }

  /** Moves a manual clock itself, and runs ahead of any other. Never goes back. */
  moveTo(at: Date): void {
    const ms = Math.max(0, at.getTime() - this.now().getTime());
    if (this.clock instanceof ManualClock) this.clock.advanceMs(ms);
    else this.aheadMs += ms;
  }

  /** Does work as of an instant that the clock has passed already. */
  asOf(at: Date, work: () => void): void {
    this.instant = at;
    try {
      work();
    } finally {
      this.instant = null;
    }
  }

  /** An object that others name by its id. */
  named(id: string): object | undefined {
    const tables: readonly Table<{ id: string }>[] = [this.customers, this.subscriptions, this.invoices];
    return [...tables, this.coupons, this.discounts].map((table) => table.find(id)).find((object) => object);
  }

  change<Kept extends object>(object: Kept, type: EventType, changes: Partial<Kept>): void {
    this.record(type, Object.assign(object, changes));
  }

  /** Records an event about an object as it is now. */
  record(type: EventType, object: object): void {
    const data = { object: structuredClone(object) as Record<string, unknown> };
    this.deliveries.add(this.events.add({ api_version: API_VERSION, data, type }));
  }
}

/** An answer of the API that says no, as Stripe's client reads it. */
export class Refusal extends Error {
  readonly body: { error: { type: string; message: string; code?: string; param?: string; decline_code?: string } };

  constructor(
    message: string,
    named: { type?: string; code?: string; param?: string; decline_code?: string } = {},
    readonly status = 400,
  ) {
    super(message);
    this.body = { error: { type: 'invalid_request_error', message, ...named } };
  }
}

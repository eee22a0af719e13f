import type Stripe from 'stripe';
import { EventLog, type EventType } from '../events/event-log';
import { Rendering, type ApiShape } from '../events/old-shape';
import type { NewLine } from '../objects/invoices';
import { copyOf } from './ids';
import type { StripeTime } from './stripe-time';

/** Objects by id, in the order in which they were made. It knows those to which something may still happen by itself. */
export class Table<Kept extends { id: string }> extends Map<string, Kept> {
  private readonly open = new Set<Kept>();

  constructor(private readonly isOver: (object: Kept) => boolean) {
    super();
  }

  override set(id: string, object: Kept): this {
    this.open.add(object);
    return super.set(id, object);
  }

  /** So that a step of time costs what is alive, not all that ever was. */
  *unfinished(): Generator<Kept> {
    for (const object of this.open) {
      if (this.isOver(object)) this.open.delete(object);
      else yield object;
    }
  }
}

/** What the card of a customer does when it is charged. */
export type Card = 'good' | 'declines' | 'requires_action';

/** What an account of Stripe sets in its dashboard. */
export interface Policy {
  /** Days after the first failure at which a payment is tried again. */
  retryDays: readonly number[];
  /** What becomes of the subscription when the last try has failed. */
  afterRetries: 'cancel' | 'unpaid' | 'past_due';
}

/** A change of plan that takes effect when its invoice is paid. */
export interface PendingChange {
  invoice: string;
  apply: () => void;
}

interface Stored {
  id: string;
  object: string;
}

/** All that the development Stripe knows. Objects refer to each other by id; every change is recorded as an event. */
export class World {
  readonly products = new Map<string, Stripe.Product>();
  readonly prices = new Map<string, Stripe.Price>();
  readonly coupons = new Map<string, Stripe.Coupon>();
  readonly discounts = new Map<string, Stripe.Discount>();
  /** By coupon, where it is not for all of them. */
  readonly productsOfCoupons = new Map<string, readonly string[]>();
  readonly customers = new Map<string, Stripe.Customer>();
  readonly deletedCustomers = new Set<string>();
  readonly paymentMethods = new Map<string, Stripe.PaymentMethod>();
  readonly sessions = new Table<Stripe.Checkout.Session>(({ status }) => status !== 'open');
  readonly lineItems = new Map<string, Stripe.LineItem[]>();
  readonly portalSessions = new Map<string, Stripe.BillingPortal.Session>();
  readonly subscriptions = new Table<Stripe.Subscription>(({ ended_at: ended }) => ended !== null);
  readonly invoices = new Table<Stripe.Invoice>(({ status }) => status !== 'draft' && status !== 'open');
  readonly invoicePayments = new Map<string, Stripe.InvoicePayment>();
  private readonly paymentsByInvoice = new Map<string, Stripe.InvoicePayment>();
  private readonly paymentsByIntent = new Map<string, Stripe.InvoicePayment>();
  readonly paymentIntents = new Map<string, Stripe.PaymentIntent>();
  readonly charges = new Map<string, Stripe.Charge>();
  readonly refunds = new Map<string, Stripe.Refund>();
  readonly disputes = new Map<string, Stripe.Dispute>();

  /** By customer. */
  readonly cards = new Map<string, Card>();
  /** By subscription: what waits for its next invoice. */
  readonly pendingLines = new Map<string, NewLine[]>();
  /** By subscription. */
  readonly pendingChanges = new Map<string, PendingChange>();
  /** By session: what its subscription will get. */
  readonly plannedSubscriptions = new Map<string, { trialDays: number | null; metadata: Stripe.Metadata }>();
  /** Subscriptions whose customer has been told that the trial ends. */
  readonly toldOfTrialEnd = new Set<string>();

  /** Where its pages are. */
  address = '';

  readonly events: EventLog;
  readonly rendering: Rendering;

  constructor(
    readonly time: StripeTime,
    shape: ApiShape,
    readonly policy: Policy,
  ) {
    this.rendering = new Rendering({
      price: (id) => this.prices.get(id),
      discount: (id) => this.discounts.get(id),
      coupon: (id) => this.coupons.get(id),
      intentOf: (invoice) => this.intentOf(invoice),
      invoiceOf: (intent) => this.invoiceOf(intent),
    });
    this.events = new EventLog(time, this.rendering, shape);
  }

  /** Tables in which an id is looked up. */
  get tables(): ReadonlyMap<string, object>[] {
    return [
      ...[this.products, this.prices, this.customers, this.paymentMethods, this.sessions, this.subscriptions],
      ...[this.coupons, this.discounts, this.invoices, this.paymentIntents, this.charges, this.refunds, this.disputes],
    ];
  }

  /** Links an invoice to the intent that pays it: neither names the other. */
  addPayment(payment: Stripe.InvoicePayment): void {
    this.invoicePayments.set(payment.id, payment);
    this.paymentsByInvoice.set(payment.invoice as string, payment);
    this.paymentsByIntent.set(payment.payment.payment_intent as string, payment);
  }

  paymentOf(invoice: string): Stripe.InvoicePayment | undefined {
    return this.paymentsByInvoice.get(invoice);
  }

  intentOf(invoice: string): Stripe.PaymentIntent | undefined {
    return this.paymentIntents.get((this.paymentOf(invoice)?.payment.payment_intent as string | undefined) ?? '');
  }

  private invoiceOf(intent: string): string | null {
    return (this.paymentsByIntent.get(intent)?.invoice as string | undefined) ?? null;
  }

  /** Stores a new object and records the event of its creation. */
  add<Kept extends Stored>(table: Map<string, Kept>, object: Kept, type?: EventType): Kept {
    table.set(object.id, object);
    if (type) this.events.record(type, object);
    return object;
  }

  /** Changes members of a stored object and records it, with their values before. */
  change<Kept extends Stored>(object: Kept, type: EventType, changes: Partial<Kept>): void {
    const before = copyOf(object);
    Object.assign(object, changes);
    this.events.record(type, object, before);
  }

  /** Records an event about an object that stays as it is. */
  tell(type: EventType, object: Stored): void {
    this.events.record(type, object);
  }
}

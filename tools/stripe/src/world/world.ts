import type Stripe from 'stripe';
import { EventLog, type EventType } from '../events/event-log';
import type { NewLine } from '../objects/money';
import { aCustomer } from '../objects/sales';
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

/** The outcome of a charge of a customer's card. */
export type Card = 'good' | 'declines';

/** The state of a subscription after the last failed try, as an account sets it in Stripe's dashboard. */
export type AfterRetries = 'cancel' | 'unpaid' | 'past_due';

/** A change of plan that takes effect when its invoice is paid. */
export interface PendingChange {
  invoice: string;
  apply: () => void;
}

interface PlannedSubscription {
  price: Stripe.Price;
  trialDays: number | null;
  metadata: Stripe.Metadata;
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
  readonly sessions = new Table<Stripe.Checkout.Session>(({ status }) => status !== 'open');
  readonly portalSessions = new Map<string, Stripe.BillingPortal.Session>();
  readonly subscriptions = new Table<Stripe.Subscription>(({ ended_at: ended }) => ended !== null);
  readonly invoices = new Table<Stripe.Invoice>(({ status }) => status !== 'draft' && status !== 'open');
  /** By invoice: which intent pays it, as neither names the other. */
  readonly payments = new Map<string, Stripe.InvoicePayment>();
  readonly charges = new Map<string, Stripe.Charge>();
  /** The last charge of each payment intent, by id. */
  readonly chargesByIntent = new Map<string, string>();
  readonly refunds = new Map<string, Stripe.Refund>();
  readonly disputes = new Map<string, Stripe.Dispute>();

  /** By customer. */
  readonly cards = new Map<string, Card>();
  /** By subscription: what waits for its next invoice. */
  readonly pendingLines = new Map<string, NewLine[]>();
  /** By subscription. */
  readonly pendingChanges = new Map<string, PendingChange>();
  /** By session: what its subscription will get. */
  readonly plannedSubscriptions = new Map<string, PlannedSubscription>();
  /** Subscriptions whose trial was announced to end. */
  readonly announcedTrialEnds = new Set<string>();

  /** Where its pages are. */
  address = '';

  readonly events: EventLog;

  constructor(
    readonly time: StripeTime,
    readonly afterRetries: AfterRetries,
  ) {
    this.events = new EventLog(time);
  }

  /** An object that others name by its id. */
  find(id: string): object | undefined {
    const named = [this.customers, this.subscriptions, this.invoices, this.coupons, this.discounts];
    return named.map((table: ReadonlyMap<string, object>) => table.get(id)).find((object) => object !== undefined);
  }

  chargeOf(invoice: string): Stripe.Charge | undefined {
    const intent = this.payments.get(invoice)?.payment.payment_intent as string | undefined;
    return this.charges.get(this.chargesByIntent.get(intent ?? '') ?? '');
  }

  newCustomer(metadata: Stripe.Metadata): Stripe.Customer {
    return this.add(this.customers, aCustomer(this.time.seconds, { metadata }), 'customer.created');
  }

  addLine(subscription: string, line: NewLine): void {
    this.pendingLines.set(subscription, [...(this.pendingLines.get(subscription) ?? []), line]);
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

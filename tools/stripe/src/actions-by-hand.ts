import type Stripe from 'stripe';
import { giveTrial, resumeSubscription } from './billing/changing';
import { payInvoice } from './billing/collecting';
import {
  couponOf,
  type DiscountHolder,
  discountsOf,
  giveDiscount,
  type Reduction,
  type Term,
} from './billing/discounting';
import { deleteCustomer, endAt } from './billing/ending';
import { dueInvoice, firstInvoice } from './billing/invoicing';
import { anObject, newId } from './schema/published';
import {
  aCustomer,
  aPrice,
  aSubscription,
  isOver,
  type NewLine,
  type NewPrice,
  type Period,
  periodOf,
} from './world/objects';
import { periodAt, secondsOf } from './world/stripe-time';
import type { Card, World } from './world/world';

type Subscription = Stripe.Subscription;

/** Of the two plans. */
export const PRODUCT = 'prod_EvenkeelPremium';

/** A price of the plans' product, or of a product of its own that somebody else sells at the account. */
interface AddedPrice extends Pick<NewPrice, 'id' | 'interval' | 'intervalCount' | 'currency' | 'amountCents'> {
  isOfPlans?: boolean;
}

/** A sale without a page. */
interface SoldByHand {
  /** A customer who is there; else a new one. */
  customer?: string;
  prices: readonly string[];
  metadata?: Stripe.Metadata;
}

/** Actions of an operator of the account, of another program, or of a bank. */
export abstract class ActionsByHand {
  protected abstract readonly world: World;

  protected abstract act<Result>(work: () => Result): Promise<Result>;

  /** From the next invoice on, for good unless its term says otherwise. */
  discount(id: string, reduction: Reduction, holder: DiscountHolder = 'subscription', term: Term = {}): Promise<void> {
    return this.actOn(id, (one) => giveDiscount(this.world, one, { reduction, holder, ...term }));
  }

  /** A price that is none of the two plans. */
  addPrice({ isOfPlans = false, ...wanted }: AddedPrice): string {
    const of = isOfPlans
      ? { product: PRODUCT, nickname: 'Premium (other)' }
      : { product: newId('prod', 14), nickname: 'Newsletter' };
    return this.world.add(this.world.prices, aPrice({ ...wanted, ...of, created: this.world.time.seconds })).id;
  }

  /** A subscription of any prices, one item for each, collected at once. */
  sellByHand({ customer, prices, metadata = {} }: SoldByHand): Promise<string> {
    return this.act(() => {
      const { world } = this;
      const created = world.time.seconds;
      const buyer = customer ?? this.newCustomer(metadata);
      known(world.customers, buyer);
      const sold = prices.map((id) => known(world.prices, id));
      const items = sold.map((price) => ({ price, period: periodAt(created, price, created) }));
      const wanted = { customer: buyer, prices: items, created, isTrial: false, metadata };
      const subscription = world.add(world.subscriptions, aSubscription(wanted), 'customer.subscription.created');
      payInvoice(world, firstInvoice(world, subscription));
      return subscription.id;
    });
  }

  /** An invoice of an amount besides; its card pays it, or not. */
  invoiceByHand(id: string, amountCents: number, card: Card = 'good'): Promise<string> {
    return this.actOn(id, (one) => {
      const { world } = this;
      const period = periodOf(one);
      const lines = [lineBesides(one, amountCents, period)];
      const invoice = dueInvoice(world, one, { reason: 'manual', lines, period });
      const customer = one.customer as string;
      const before = world.cards.get(customer) ?? 'good';
      world.cards.set(customer, card);
      payInvoice(world, invoice);
      world.cards.set(customer, before);
      return invoice.id;
    });
  }

  /** Puts an amount on the next invoice, said to be for the time until then. */
  addAmount(id: string, amountCents: number, until: Date): Promise<void> {
    return this.actOn(id, (one) => {
      const period = { start: this.world.time.seconds, end: secondsOf(until) };
      const waiting = this.world.waitingLines.get(id) ?? [];
      this.world.waitingLines.set(id, [...waiting, lineBesides(one, amountCents, period)]);
    });
  }

  giveTrial(id: string, until: Date): Promise<void> {
    return this.actOn(id, (one) => giveTrial(this.world, one, secondsOf(until)));
  }

  /** An end at any time, or none any more. */
  scheduleEnd(id: string, at: Date | null): Promise<void> {
    return this.change(id, endAt(this.world, at && secondsOf(at)));
  }

  /** Discounts of a subscription and of its items, with their coupons and the products that these are for. */
  discountsOf(
    subscription: Subscription,
  ): { discount: Stripe.Discount; coupon: Stripe.Coupon; products?: readonly string[] }[] {
    return discountsOf(this.world, subscription).map((discount) => {
      const coupon = couponOf(this.world, discount);
      return { discount, coupon, products: this.world.productsOfCoupons.get(coupon.id) };
    });
  }

  /** Goes on without collecting: invoices are voided. */
  pauseCollection(id: string): Promise<void> {
    return this.change(id, { pause_collection: { behavior: 'void', resumes_at: null } });
  }

  resumeCollection(id: string): Promise<void> {
    return this.change(id, { pause_collection: null });
  }

  /** Status `paused`, as after a trial without a card. */
  pause(id: string): Promise<void> {
    return this.actOn(id, (one) => {
      this.world.change(one, 'customer.subscription.updated', { status: 'paused' });
      this.world.record('customer.subscription.paused', one);
    });
  }

  /** Goes on with a new period, which is paid now. */
  resume(id: string): Promise<void> {
    return this.actOn(id, (one) => resumeSubscription(this.world, one));
  }

  deleteCustomer(id: string): Promise<void> {
    return this.act(() => deleteCustomer(this.world, known(this.world.customers, id)));
  }

  /** Gives money of an invoice back, or all that is left of it. Of the subscription nothing changes. */
  refund(invoice: string, amountCents?: number): Promise<string> {
    return this.act(() => {
      const { world } = this;
      const charge = this.chargeOf(invoice);
      const amount = amountCents ?? charge.amount - charge.amount_refunded;
      const stated = { id: newId('re'), amount, ...this.ofCharge(charge), metadata: {}, status: 'succeeded' };
      const refund = world.add(world.refunds, anObject<Stripe.Refund>('refund', stated), 'refund.created');
      const refunded = charge.amount_refunded + amount;
      world.change(charge, 'charge.refunded', { amount_refunded: refunded, refunded: refunded === charge.amount });
      return refund.id;
    });
  }

  /** The refunded amount of an invoice. */
  refundedCents(invoiceId: string): number {
    return this.world.chargeOf(invoiceId)?.amount_refunded ?? 0;
  }

  /** The bank of the customer did not take it: the money is back at the account. */
  failRefund(id: string): Promise<void> {
    return this.act(() => {
      const refund = known(this.world.refunds, id);
      const charge = known(this.world.charges, refund.charge as string);
      Object.assign(charge, { amount_refunded: charge.amount_refunded - refund.amount, refunded: false });
      this.world.change(refund, 'refund.failed', { failure_reason: 'unknown', status: 'failed' });
    });
  }

  /** The bank takes the money of an invoice back until the dispute is decided. */
  dispute(invoice: string): Promise<string> {
    return this.act(() => {
      const { world } = this;
      const charge = this.chargeOf(invoice);
      const state = { reason: 'fraudulent', status: 'needs_response' } as const;
      const stated = { id: newId('du'), amount: charge.amount, ...this.ofCharge(charge), ...state };
      const made = anObject<Stripe.Dispute>('dispute', stated);
      const dispute = world.add(world.disputes, made, 'charge.dispute.created');
      charge.disputed = true;
      world.record('charge.dispute.funds_withdrawn', dispute);
      return dispute.id;
    });
  }

  closeDispute(id: string, status: 'won' | 'lost'): Promise<void> {
    return this.act(() => {
      const dispute = known(this.world.disputes, id);
      this.world.change(dispute, 'charge.dispute.closed', { status });
      if (status === 'won') this.world.record('charge.dispute.funds_reinstated', dispute);
    });
  }

  private newCustomer(metadata: Stripe.Metadata): string {
    return this.world.add(this.world.customers, aCustomer(this.world.time.seconds, metadata), 'customer.created').id;
  }

  private change(id: string, changes: Partial<Subscription>): Promise<void> {
    return this.actOn(id, (one) => this.world.change(one, 'customer.subscription.updated', changes));
  }

  private actOn<Result>(id: string, work: (subscription: Subscription) => Result): Promise<Result> {
    return this.act(() => {
      const subscription = known(this.world.subscriptions, id);
      if (isOver(subscription)) throw new Error(`${id} has ended: it cannot change any more.`);
      return work(subscription);
    });
  }

  private chargeOf(invoice: string): Stripe.Charge {
    const charge = this.world.chargeOf(invoice);
    if (!charge) throw new Error(`The development Stripe knows no charge of ${invoice}.`);
    return charge;
  }

  /** The members that a refund and a dispute have in common. */
  private ofCharge({ id, currency, payment_intent }: Stripe.Charge) {
    return { charge: id, created: this.world.time.seconds, currency, payment_intent };
  }
}

export function known<Kept>(table: ReadonlyMap<string, Kept>, id: string): Kept {
  const object = table.get(id);
  if (!object) throw new Error(`The development Stripe knows no ${id}.`);
  return object;
}

/** Of no item of the subscription. */
function lineBesides({ items }: Subscription, amountCents: number, period: Period): NewLine {
  return { amountCents, description: 'Setup', period, price: items.data[0]!.price, isBesides: true };
}

import type Stripe from 'stripe';
import { applyPlanChange, type PaymentBehavior, planChange } from './billing/changing-plan';
import { firstInvoice } from './billing/checkout';
import { payInvoice } from './billing/collecting';
import { type DiscountPlace, discountsOf, giveDiscount } from './billing/discounting';
import { deleteCustomer, endWithPeriod, scheduleEnd } from './billing/ending';
import { draftInvoice, finalizeInvoice, periodLine, periodOf } from './billing/invoicing';
import { periodAt, secondsOf } from './world/stripe-time';
import { resumeSubscription } from './billing/due';
import { type AddedPrice, addPrice } from './catalogue';
import type { NewLine } from './objects/money';
import { aSubscription, isOver, type Period, type Reduction, type Term } from './objects/sales';
import { anObject } from './schema/published';
import { copyOf, newId } from './world/ids';
import type { Card, World } from './world/world';

type Subscription = Stripe.Subscription;

/** Actions of an operator of the account, of another program, or of a bank. */
export abstract class ActionsByHand {
  protected abstract readonly world: World;

  protected abstract act<Result>(work: () => Result): Promise<Result>;

  /** From the next invoice on, for good unless its term says otherwise. */
  discount(id: string, reduction: Reduction, place: DiscountPlace = 'subscription', term: Term = {}): Promise<void> {
    return this.actOn(id, (one) => giveDiscount(this.world, one, { reduction, place, ...term }));
  }

  /** A price that is none of the two plans. */
  addPrice(price: AddedPrice): string {
    return addPrice(this.world, price);
  }

  /** Without a page. */
  sellByHand(sold: SoldByHand): Promise<string> {
    return this.act(() => sellByHand(this.world, sold).id);
  }

  /** An invoice of an amount besides; its card pays it, or not. */
  invoiceByHand(id: string, amountCents: number, card: Card = 'good'): Promise<string> {
    return this.actOn(id, (one) => {
      const { world } = this;
      const period = periodOf(one);
      const lines = [lineBesides(one, amountCents, period)];
      const invoice = finalizeInvoice(world, draftInvoice(world, one, { reason: 'manual', lines, period }));
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
    const period = { start: this.world.time.seconds, end: secondsOf(until) };
    return this.actOn(id, (one) => this.world.addLine(id, lineBesides(one, amountCents, period)));
  }

  giveTrial(id: string, until: Date): Promise<void> {
    return this.actOn(id, (one) => giveTrial(this.world, one, secondsOf(until)));
  }

  /** Another price for its one item, as a call would ask for it. */
  changePlan(id: string, priceId: string, behavior: PaymentBehavior): Promise<void> {
    return this.actOn(id, (one) => {
      const change = planChange(this.world, one, known(this.world.prices, priceId));
      applyPlanChange(this.world, one, change, behavior);
    });
  }

  /** An end at any time, or none any more. */
  scheduleEnd(id: string, at: Date | null): Promise<void> {
    return this.actOn(id, (one) => scheduleEnd(this.world, one, at && secondsOf(at)));
  }

  /** Discounts of a subscription and of its items, with their coupons and the products that these are for. */
  discountsOf(
    subscription: Subscription,
  ): { discount: Stripe.Discount; coupon: Stripe.Coupon; products?: readonly string[] }[] {
    return discountsOf(this.world, subscription).map((discount) => {
      const coupon = this.world.coupons.get(discount.source.coupon as string)!;
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
      this.world.tell('customer.subscription.paused', one);
    });
  }

  resume(id: string): Promise<void> {
    return this.actOn(id, (one) => resumeSubscription(this.world, one));
  }

  deleteCustomer(id: string): Promise<void> {
    return this.act(() => deleteCustomer(this.world, known(this.world.customers, id)));
  }

  /** Gives money of a charge back, or all that is left of it. Of the subscription nothing changes. */
  refund(chargeOrInvoice: string, amountCents?: number): Promise<string> {
    return this.act(() => {
      const { world } = this;
      const charge = this.chargeOf(chargeOrInvoice);
      const amount = amountCents ?? charge.amount - charge.amount_refunded;
      const stated = { id: newId('re'), amount, ...ofCharge(world, charge), metadata: {}, status: 'succeeded' };
      const refund = world.add(world.refunds, anObject<Stripe.Refund>('refund', stated), 'refund.created');
      const refunded = charge.amount_refunded + amount;
      world.change(charge, 'charge.refunded', { amount_refunded: refunded, refunded: refunded === charge.amount });
      world.tell('refund.updated', refund);
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
      const charge = this.world.charges.get(refund.charge as string)!;
      Object.assign(charge, { amount_refunded: charge.amount_refunded - refund.amount, refunded: false });
      Object.assign(refund, { failure_reason: 'unknown', status: 'failed' });
      this.world.tell('refund.failed', refund);
      this.world.tell('refund.updated', refund);
    });
  }

  /** The bank takes the money of a charge back until the dispute is decided. */
  dispute(chargeOrInvoice: string): Promise<string> {
    return this.act(() => {
      const { world } = this;
      const charge = this.chargeOf(chargeOrInvoice);
      const made = anObject<Stripe.Dispute>('dispute', {
        id: newId('du'),
        amount: charge.amount,
        ...ofCharge(world, charge),
        reason: 'fraudulent',
        status: 'needs_response',
      });
      const dispute = world.add(world.disputes, made, 'charge.dispute.created');
      world.change(charge, 'charge.updated', { disputed: true });
      world.tell('charge.dispute.funds_withdrawn', dispute);
      return dispute.id;
    });
  }

  closeDispute(id: string, status: 'won' | 'lost'): Promise<void> {
    return this.act(() => {
      const dispute = Object.assign(known(this.world.disputes, id), { status });
      this.world.tell('charge.dispute.closed', dispute);
      if (status === 'won') this.world.tell('charge.dispute.funds_reinstated', dispute);
    });
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

  private chargeOf(id: string): Stripe.Charge {
    const charge = this.world.charges.get(id) ?? this.world.chargeOf(id);
    if (!charge) throw new Error(`The development Stripe knows no charge of ${id}.`);
    return charge;
  }
}

export function known<Kept>(table: ReadonlyMap<string, Kept>, id: string): Kept {
  const object = table.get(id);
  if (!object) throw new Error(`The development Stripe knows no ${id}.`);
  return object;
}

/** The members that a refund and a dispute have in common. */
function ofCharge(world: World, { id, currency, payment_intent }: Stripe.Charge) {
  return { charge: id, created: world.time.seconds, currency, payment_intent };
}

/** Sales without a page, by an operator of the account or another program. */
interface SoldByHand {
  /** A customer who is there; else a new one. */
  customer?: string;
  prices: readonly string[];
  metadata?: Stripe.Metadata;
}

/** A subscription of any prices, one item for each, collected at once. */
function sellByHand(world: World, { customer, prices, metadata = {} }: SoldByHand): Stripe.Subscription {
  const created = world.time.seconds;
  if (customer !== undefined && !world.customers.has(customer)) throw new Error(`${customer} was deleted.`);
  const sold = prices.map((id) => {
    const price = world.prices.get(id)!;
    return { price, period: periodAt(created, price, created) };
  });
  const id = customer ?? world.newCustomer(metadata).id;
  const subscription = aSubscription({ customer: id, prices: sold, created, isTrial: false, metadata });
  world.add(world.subscriptions, subscription, 'customer.subscription.created');
  payInvoice(world, firstInvoice(world, subscription));
  return subscription;
}

/** Of no item of the subscription. */
function lineBesides({ items }: Stripe.Subscription, amountCents: number, period: Period): NewLine {
  return { amountCents, description: 'Setup', period, price: items.data[0]!.price, isBesides: true };
}

/** A trial for a subscription of whatever status that has not ended: nothing is due until then. */
function giveTrial(world: World, subscription: Stripe.Subscription, until: number): void {
  const old = copyOf(subscription);
  const now = world.time.seconds;
  for (const item of subscription.items.data) {
    Object.assign(item, { current_period_start: now, current_period_end: until });
  }
  const trial = { trial_start: now, trial_end: until, billing_cycle_anchor: until };
  Object.assign(subscription, { ...trial, ...endWithPeriod(subscription, until), status: 'trialing' });
  // An invoice of nothing, which takes over from one that waits to be paid.
  const period = periodOf(subscription);
  const lines = [{ ...periodLine(subscription.items.data[0]!.price, period), amountCents: 0 }];
  const draft = draftInvoice(world, subscription, { reason: 'subscription_update', lines, period });
  payInvoice(world, finalizeInvoice(world, draft));
  world.events.record('customer.subscription.updated', subscription, old);
}

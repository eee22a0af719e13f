import type Stripe from 'stripe';
import { giveTrial, invoiceByHand, lineBesides, sellByHand, type SoldByHand } from './billing/by-hand';
import { planChange } from './billing/changing-plan';
import { discountsOf, giveDiscount, type DiscountPlace } from './billing/discounting';
import { deleteCustomer, scheduleEnd } from './billing/ending';
import { closeDispute, failRefund, openDispute, refundCharge } from './billing/money-back';
import { resumeSubscription } from './billing/renewing';
import { applyPlanChange, type PaymentBehavior } from './billing/updating';
import { addPrice, type AddedPrice } from './catalogue';
import { isOver, type Reduction, type Term } from './objects/sales';
import { secondsOf } from './world/stripe-time';
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
    return this.actOn(id, (one) => invoiceByHand(this.world, one, { amountCents, card }).id);
  }

  /** Puts an amount on the next invoice, said to be for the time until then. */
  addAmount(id: string, amountCents: number, until: Date): Promise<void> {
    const period = { start: this.world.time.seconds, end: secondsOf(until) };
    return this.actOn(id, (one) => this.world.addLines(id, [lineBesides(one, amountCents, period)]));
  }

  giveTrial(id: string, until: Date): Promise<void> {
    return this.actOn(id, (one) => giveTrial(this.world, one, secondsOf(until)));
  }

  /** Another price for its one item, as a call would ask for it. */
  changePlan(id: string, priceId: string, behavior: PaymentBehavior): Promise<void> {
    return this.actOn(id, (one) => {
      const wanted = { price: known(this.world.prices, priceId), behavior: 'always_invoice' as const };
      applyPlanChange(this.world, one, planChange(this.world, one, wanted), behavior);
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

  /** Refunds the charge of an invoice; without an amount all that is left of it. */
  refund(chargeOrInvoice: string, amountCents?: number): Promise<string> {
    return this.act(() => {
      const charge = this.chargeOf(chargeOrInvoice);
      return refundCharge(this.world, charge, amountCents ?? charge.amount - charge.amount_refunded).id;
    });
  }

  /** The refunded amount of an invoice. */
  refundedCents(invoiceId: string): number {
    return this.world.chargeOf(invoiceId)?.amount_refunded ?? 0;
  }

  failRefund(id: string): Promise<void> {
    return this.act(() => failRefund(this.world, known(this.world.refunds, id)));
  }

  /** The customer's bank disputes the charge of an invoice. */
  dispute(chargeOrInvoice: string): Promise<string> {
    return this.act(() => openDispute(this.world, this.chargeOf(chargeOrInvoice)).id);
  }

  closeDispute(id: string, status: 'won' | 'lost'): Promise<void> {
    return this.act(() => closeDispute(this.world, known(this.world.disputes, id), status));
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

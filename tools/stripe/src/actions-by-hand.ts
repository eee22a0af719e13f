import type Stripe from 'stripe';
import { addAmount, giveTrial, invoiceByHand, sellByHand, type SoldByHand } from './billing/by-hand';
import { planChange } from './billing/changing-plan';
import { discountsOf, giveDiscount, type DiscountPlace } from './billing/discounting';
import { scheduleEnd } from './billing/ending';
import { applyPlanChange, type PaymentBehavior } from './billing/updating';
import { addPrice, type AddedPrice } from './catalogue';
import type { Reduction, Term } from './objects/discounts';
import { secondsOf } from './world/stripe-time';
import type { Card, World } from './world/world';

/** What an operator of the account does, or another program of it. */
export abstract class ActionsByHand {
  protected abstract readonly world: World;

  protected abstract act<Result>(work: () => Result): Promise<Result>;
  protected abstract goingOn(subscriptionId: string): Stripe.Subscription;

  /** As an operator does: from the next invoice on, for good unless its term says otherwise. */
  async discount(
    subscriptionId: string,
    reduction: Reduction,
    place: DiscountPlace = 'subscription',
    term: Term = {},
  ): Promise<void> {
    await this.act(() => giveDiscount(this.world, this.goingOn(subscriptionId), { reduction, place, ...term }));
  }

  /** A price that is none of the two plans. */
  addPrice(price: AddedPrice): string {
    return addPrice(this.world, price);
  }

  /** As an operator, or another program of the account, sells: without a page. */
  async sellByHand(sold: SoldByHand): Promise<string> {
    return this.act(() => sellByHand(this.world, sold).id);
  }

  /** An invoice of an amount besides; its card pays it, or not. */
  async invoiceByHand(subscriptionId: string, amountCents: number, card: Card = 'good'): Promise<string> {
    return this.act(() => invoiceByHand(this.world, this.goingOn(subscriptionId), { amountCents, card }).id);
  }

  /** Puts an amount on the next invoice, said to be for the time until then. */
  async addAmount(subscriptionId: string, amountCents: number, until: Date): Promise<void> {
    const period = { start: this.world.time.seconds, end: secondsOf(until) };
    await this.act(() => addAmount(this.world, this.goingOn(subscriptionId), { amountCents, period }));
  }

  async giveTrial(subscriptionId: string, until: Date): Promise<void> {
    await this.act(() => giveTrial(this.world, this.goingOn(subscriptionId), secondsOf(until)));
  }

  /** Another price for its one item, as a call would ask for it. */
  async changePlan(subscriptionId: string, priceId: string, behavior: PaymentBehavior): Promise<void> {
    await this.act(() => {
      const subscription = this.goingOn(subscriptionId);
      const wanted = { price: known(this.world.prices, priceId), behavior: 'always_invoice' as const };
      const change = planChange(this.world, subscription, { ...wanted, at: this.world.time.seconds });
      applyPlanChange(this.world, subscription, change, behavior);
    });
  }

  /** An end at any time, or none any more. */
  async scheduleEnd(subscriptionId: string, at: Date | null): Promise<void> {
    await this.act(() => scheduleEnd(this.world, this.goingOn(subscriptionId), at && secondsOf(at)));
  }

  /** Discounts of a subscription and of its items, with their coupons and the products that these are for. */
  discountsOf(
    subscription: Stripe.Subscription,
  ): { discount: Stripe.Discount; coupon: Stripe.Coupon; products?: readonly string[] }[] {
    return discountsOf(this.world, subscription).map((discount) => {
      const coupon = this.world.coupons.get(discount.source.coupon as string)!;
      return { discount, coupon, products: this.world.productsOfCoupons.get(coupon.id) };
    });
  }
}

export function known<Kept>(table: ReadonlyMap<string, Kept>, id: string): Kept {
  const object = table.get(id);
  if (!object) throw new Error(`The development Stripe knows no ${id === '' ? 'charge of it' : id}.`);
  return object;
}

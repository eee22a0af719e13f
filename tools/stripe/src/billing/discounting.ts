import type Stripe from 'stripe';
import { anObject, newId } from '../schema/published';
import { itemOf, type NewLine } from '../world/objects';
import { monthsAfter } from '../world/stripe-time';
import type { World } from '../world/world';

/** How much less: a share, or cents. */
export type Reduction = { percentOff: number } | { amountOffCents: number };

/** Who has a discount. */
export type DiscountHolder = 'subscription' | 'item';

/** For how long, and on which products; by default for good and on all. */
export interface Term {
  duration?: 'forever' | 'once';
  /** Instead of a duration: it repeats for so long. */
  months?: number;
  products?: readonly string[];
}

/** Gives a discount to a subscription, from its next invoice on. */
export function giveDiscount(
  world: World,
  subscription: Stripe.Subscription,
  {
    reduction,
    holder,
    months,
    products,
    duration = 'forever',
  }: Term & { reduction: Reduction; holder: DiscountHolder },
): void {
  const start = world.time.seconds;
  const item = itemOf(subscription);
  const made = anObject<Stripe.Coupon>('coupon', {
    id: newId('coupon', 8),
    created: start,
    times_redeemed: 1,
    valid: true,
    duration_in_months: months ?? null,
    duration: months === undefined ? duration : 'repeating',
    ...('percentOff' in reduction
      ? { percent_off: reduction.percentOff }
      : { amount_off: reduction.amountOffCents, currency: 'usd' }),
  });
  const { id: coupon } = world.add(world.coupons, made);
  if (products) world.productsOfCoupons.set(coupon, products);
  const discount = anObject<Stripe.Discount>('discount', {
    id: newId('di'),
    start,
    subscription: subscription.id,
    customer: subscription.customer,
    source: { coupon, type: 'coupon' },
    subscription_item: holder === 'item' ? item.id : null,
    end: months === undefined ? null : monthsAfter(start, months),
  });
  world.add(world.discounts, discount);
  (holder === 'item' ? item : subscription).discounts.push(discount.id);
  world.record('customer.subscription.updated', subscription);
}

/** It is over: the subscription has it no longer, and of the subscription itself there is no event. */
export function endDiscount(world: World, subscription: Stripe.Subscription, discount: Stripe.Discount): void {
  for (const holder of [subscription, ...subscription.items.data]) {
    holder.discounts = (holder.discounts as string[]).filter((id) => id !== discount.id);
  }
  world.record('customer.discount.deleted', discount);
}

/** Those of one invoice are over with it. */
export function endOnceDiscounts(world: World, subscription: Stripe.Subscription): void {
  for (const discount of discountsOf(world, subscription)) {
    if (couponOf(world, discount).duration === 'once') endDiscount(world, subscription, discount);
  }
}

/** All that a subscription and its items have. */
export function discountsOf(world: World, subscription: Stripe.Subscription): Stripe.Discount[] {
  const ids = [subscription, ...subscription.items.data].flatMap(({ discounts }) => discounts as string[]);
  return ids.map((id) => world.discounts.get(id)!);
}

export function couponOf(world: World, { source }: Stripe.Discount): Stripe.Coupon {
  return world.coupons.get(source.coupon as string)!;
}

/** The part of an amount that each discount takes: those of the item first, each from the remaining amount. */
function discountsOn(world: World, subscription: Stripe.Subscription, amountCents: number, product: string) {
  let left = amountCents;
  return [...itemOf(subscription).discounts, ...subscription.discounts].flatMap((id) => {
    const coupon = couponOf(world, world.discounts.get(id as string)!);
    const products = world.productsOfCoupons.get(coupon.id);
    if (products?.includes(product) === false) return [];
    const { percent_off: percent, amount_off: off } = coupon;
    const amount = Math.min(left, percent === null ? off! : Math.round((left * percent) / 100));
    left -= amount;
    return { discount: id as string, amount };
  });
}

/** A line of a period with what is taken from it. In prorations discounts are included already. */
export function withDiscounts(world: World, subscription: Stripe.Subscription, line: NewLine): NewLine {
  if (line.proration || line.isBesides) return line;
  return { ...line, discounts: discountsOn(world, subscription, line.amountCents, line.price.product as string) };
}

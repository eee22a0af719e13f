import type Stripe from 'stripe';
import { monthsAfter } from './periods';
import type { Subscription, World } from './world';

/** How much less: a share, or cents. */
export type Reduction = { percentOff: number } | { amountOffCents: number };

export type DiscountHolder = 'subscription' | 'item';

/** For how long, and on which products; by default for good and on all. */
export interface Term {
  duration?: 'forever' | 'once';
  /** Instead of a duration: it repeats for so long. */
  months?: number;
  products?: readonly string[];
}

/** From the next invoice on. */
export function giveDiscount(
  world: World,
  subscription: Subscription,
  reduction: Reduction,
  holder: DiscountHolder,
  { duration = 'forever', months, products }: Term,
): void {
  const less =
    'percentOff' in reduction
      ? { percent_off: reduction.percentOff }
      : { amount_off: reduction.amountOffCents, currency: 'usd' };
  const lasts = months === undefined ? { duration } : { duration: 'repeating' as const, duration_in_months: months };
  const { id: coupon } = world.coupons.add({ ...less, ...lasts, times_redeemed: 1, valid: true });
  if (products) world.productsOfCoupons.set(coupon, products);
  const item = subscription.items.data[0]!;
  const discount = world.discounts.add({
    start: world.seconds,
    end: months === undefined ? null : monthsAfter(world.seconds, months),
    subscription: subscription.id,
    customer: subscription.customer,
    source: { coupon, type: 'coupon' },
    subscription_item: holder === 'item' ? item.id : null,
  });
  (holder === 'item' ? item : subscription).discounts.push(discount.id);
  world.record('customer.subscription.updated', subscription);
}

/** The subscription has it no longer; of the subscription itself there is no event. */
export function endDiscount(world: World, subscription: Subscription, discount: Stripe.Discount): void {
  for (const holder of [subscription, ...subscription.items.data]) {
    holder.discounts = (holder.discounts as string[]).filter((id) => id !== discount.id);
  }
  world.record('customer.discount.deleted', discount);
}

export function discountsOf(world: World, subscription: Subscription) {
  return [subscription, ...subscription.items.data]
    .flatMap(({ discounts }) => discounts)
    .map((id) => withCoupon(world, id));
}

/** The part of an amount that each discount takes: those of the item first, each from the remaining amount. */
export function discountsOn(world: World, { items, discounts }: Subscription, cents: number, product: string) {
  let left = cents;
  return [...items.data[0]!.discounts, ...discounts].flatMap((id) => {
    const { coupon, discount, products } = withCoupon(world, id);
    if (products?.includes(product) === false) return [];
    const { percent_off: percent, amount_off: off } = coupon;
    const amount = Math.min(left, percent === null ? off! : Math.round((left * percent) / 100));
    left -= amount;
    return { discount: discount.id, amount };
  });
}

/** @returns also the products that it is for, where it is not for all */
function withCoupon(world: World, id: unknown) {
  const discount = world.discounts.get(id);
  const coupon = world.coupons.get(discount.source.coupon);
  return { discount, coupon, products: world.productsOfCoupons.get(coupon.id) };
}

import type Stripe from 'stripe';
import type { NewLine } from '../objects/money';
import { itemOf, type Reduction, type Term } from '../objects/sales';
import { anObject } from '../schema/published';
import { copyOf, newId } from '../world/ids';
import type { World } from '../world/world';
import { monthsAfter } from '../world/stripe-time';

/** Where an operator puts a discount. */
export type DiscountPlace = 'subscription' | 'item';

/** Gives a discount to a subscription, from its next invoice on. */
export function giveDiscount(
  world: World,
  subscription: Stripe.Subscription,
  { reduction, place, ...term }: Term & { reduction: Reduction; place: DiscountPlace },
): void {
  const start = world.time.seconds;
  const item = itemOf(subscription);
  const { duration = 'forever', months } = term;
  const isShare = 'percentOff' in reduction;
  const made = anObject<Stripe.Coupon>('coupon', {
    id: newId('coupon', 8),
    created: start,
    times_redeemed: 1,
    valid: true,
    duration_in_months: months ?? null,
    ...(isShare ? { percent_off: reduction.percentOff } : { amount_off: reduction.amountOffCents, currency: 'usd' }),
    duration: months === undefined ? duration : 'repeating',
  });
  const { id: coupon } = world.add(world.coupons, made);
  if (term.products) world.productsOfCoupons.set(coupon, term.products);
  const discount = anObject<Stripe.Discount>('discount', {
    id: newId('di'),
    start,
    subscription: subscription.id,
    customer: subscription.customer,
    source: { coupon, type: 'coupon' },
    subscription_item: place === 'item' ? item.id : null,
    end: months === undefined ? null : monthsAfter(start, months),
  });
  world.add(world.discounts, discount, 'customer.discount.created');
  const before = copyOf(subscription);
  (place === 'item' ? item : subscription).discounts.push(discount.id);
  world.events.record('customer.subscription.updated', subscription, before);
}

/** It is over: the subscription has it no longer, and of the subscription itself no event tells. */
export function endDiscount(world: World, subscription: Stripe.Subscription, discount: Stripe.Discount): void {
  for (const holder of [subscription, ...subscription.items.data]) {
    holder.discounts = (holder.discounts as string[]).filter((id) => id !== discount.id);
  }
  world.tell('customer.discount.deleted', discount);
}

/** Those of one invoice are over with it. */
export function endOnceDiscounts(world: World, subscription: Stripe.Subscription): void {
  for (const discount of discountsOf(world, subscription)) {
    const { duration } = world.coupons.get(discount.source.coupon as string)!;
    if (duration === 'once') endDiscount(world, subscription, discount);
  }
}

/** All that a subscription and its items have. */
export function discountsOf(world: World, subscription: Stripe.Subscription): Stripe.Discount[] {
  const ids = [subscription, ...subscription.items.data].flatMap(({ discounts }) => discounts as string[]);
  return ids.map((id) => world.discounts.get(id)!);
}

/** The part of an amount that each discount takes: those of the item first, each from the remaining amount. */
function discountsOn(world: World, subscription: Stripe.Subscription, amountCents: number, product?: string) {
  let left = amountCents;
  return [...itemOf(subscription).discounts, ...subscription.discounts].flatMap((id) => {
    const { source } = world.discounts.get(id as string)!;
    const products = world.productsOfCoupons.get(source.coupon as string);
    if (products && product !== undefined && !products.includes(product)) return [];
    const { percent_off: percent, amount_off: off } = world.coupons.get(source.coupon as string)!;
    const amount = Math.min(left, percent === null ? off! : Math.round((left * percent) / 100));
    left -= amount;
    return { discount: id as string, amount };
  });
}

/** An amount after all discounts. */
export function discounted(world: World, subscription: Stripe.Subscription, amountCents: number): number {
  return discountsOn(world, subscription, amountCents).reduce((left, { amount }) => left - amount, amountCents);
}

/** A line of a period with what is taken from it. In prorations discounts are included already. */
export function withDiscounts(world: World, subscription: Stripe.Subscription, line: NewLine): NewLine {
  if (line.proration || line.isBesides) return line;
  const product = line.price.product as string;
  return { ...line, discounts: discountsOn(world, subscription, line.amountCents, product) };
}

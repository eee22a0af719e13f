import type Stripe from 'stripe';
import { aCoupon, aDiscount, type Reduction } from '../objects/discounts';
import type { DiscountAmount, NewLine } from '../objects/invoices';
import { itemOf } from '../objects/subscriptions';
import { copyOf } from '../world/copy';
import type { World } from '../world/world';

/** Where an operator puts a discount. */
export type DiscountPlace = 'subscription' | 'item';

/** Gives a discount to a subscription, from its next invoice on. */
export function giveDiscount(
  world: World,
  subscription: Stripe.Subscription,
  { reduction, place }: { reduction: Reduction; place: DiscountPlace },
): void {
  const start = world.time.seconds;
  const item = itemOf(subscription);
  const { id: coupon } = world.add(world.coupons, aCoupon(start, reduction), 'coupon.created');
  const discount = aDiscount({
    ...{ coupon, customer: subscription.customer as string, subscription: subscription.id, start },
    item: place === 'item' ? item.id : null,
  });
  world.add(world.discounts, discount, 'customer.discount.created');
  const before = copyOf(subscription);
  (place === 'item' ? item : subscription).discounts.push(discount.id);
  world.events.record('customer.subscription.updated', subscription, before);
}

/** What each discount takes from an amount: those of the item first, each from what the ones before have left. */
export function discountsOn(world: World, subscription: Stripe.Subscription, amountCents: number): DiscountAmount[] {
  let left = amountCents;
  return [...itemOf(subscription).discounts, ...subscription.discounts].map((id) => {
    const { source } = world.discounts.get(id as string)!;
    const { percent_off: percent, amount_off: off } = world.coupons.get(source.coupon as string)!;
    const amount = Math.min(left, percent === null ? off! : Math.round((left * percent) / 100));
    left -= amount;
    return { discount: id as string, amountCents: amount };
  });
}

/** An amount after all discounts. */
export function discounted(world: World, subscription: Stripe.Subscription, amountCents: number): number {
  return discountsOn(world, subscription, amountCents).reduce((left, { amountCents: off }) => left - off, amountCents);
}

/** A line of a period with what is taken from it. In prorations discounts are included already. */
export function withDiscounts(world: World, subscription: Stripe.Subscription, line: NewLine): NewLine {
  return line.proration ? line : { ...line, discounts: discountsOn(world, subscription, line.amountCents) };
}

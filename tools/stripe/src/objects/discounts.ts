import type Stripe from 'stripe';
import { newId } from '../world/ids';

/** How much less: a share, or cents. */
export type Reduction = { percentOff: number } | { amountOffCents: number };

/** For how long, and on which products; by default for good and on all. */
export interface Term {
  duration?: 'forever' | 'once';
  /** Instead of a duration: it repeats for so long. */
  months?: number;
  products?: readonly string[];
}

export function aCoupon(created: number, reduction: Reduction, { duration, months }: Term = {}): Stripe.Coupon {
  const isShare = 'percentOff' in reduction;
  return {
    id: newId('coupon', 8),
    object: 'coupon',
    amount_off: isShare ? null : reduction.amountOffCents,
    created,
    currency: isShare ? null : 'usd',
    duration: months === undefined ? (duration ?? 'forever') : 'repeating',
    duration_in_months: months ?? null,
    livemode: false,
    max_redemptions: null,
    metadata: {},
    name: null,
    percent_off: isShare ? reduction.percentOff : null,
    redeem_by: null,
    times_redeemed: 1,
    valid: true,
  };
}

export interface NewDiscount {
  coupon: string;
  customer: string;
  subscription: string;
  /** Where it is on an item of the subscription alone. */
  item: string | null;
  start: number;
  end: number | null;
}

export function aDiscount({ coupon, customer, subscription, item, start, end }: NewDiscount): Stripe.Discount {
  return {
    id: newId('di'),
    object: 'discount',
    checkout_session: null,
    customer,
    customer_account: null,
    end,
    invoice: null,
    invoice_item: null,
    promotion_code: null,
    source: { coupon, type: 'coupon' },
    start,
    subscription,
    subscription_item: item,
  };
}

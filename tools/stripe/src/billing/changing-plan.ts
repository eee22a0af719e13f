import type Stripe from 'stripe';
import type { NewLine } from '../objects/money';
import { itemOf, itemsWith, type Period } from '../objects/sales';
import type { World } from '../world/world';
import { discounted } from './discounting';
import { endWithPeriod } from './ending';
import { periodLine, periodOf } from './invoicing';
import { periodAt } from './periods';

export interface NewPlan {
  price: Stripe.Price;
  behavior: Stripe.SubscriptionUpdateParams.ProrationBehavior;
}

/** The amount of a change to another price. */
export interface PlanChange {
  changes: Partial<Stripe.Subscription>;
  lines: NewLine[];
  /** Whether an invoice is due now; otherwise the lines wait for the next one. */
  invoicedNow: boolean;
}

/**
 * Unused time is given back and the new plan charged, to the second. Another interval begins a new period now and is
 * always invoiced; within the same one the rest of the period is charged. In a trial nothing is due.
 */
export function planChange(world: World, subscription: Stripe.Subscription, { price, behavior }: NewPlan): PlanChange {
  const at = world.time.seconds;
  const { price: old } = itemOf(subscription);
  const items = itemsWith(subscription, { price });
  if (price.id === old.id || subscription.status === 'trialing') {
    return { changes: { items }, lines: [], invoicedNow: false };
  }
  const { start, end } = periodOf(subscription);
  const restOf = (plan: Stripe.Price, kind: 'Unused' | 'Remaining'): NewLine => {
    const cents = Math.round((discounted(world, subscription, plan.unit_amount!) * (end - at)) / (end - start));
    const description = `${kind} time on ${plan.nickname}`;
    const amountCents = kind === 'Unused' ? -cents : cents;
    return { amountCents, description, period: { start: at, end }, price: plan, proration: true };
  };
  const credit = behavior === 'none' ? [] : [restOf(old, 'Unused')];
  if (price.recurring!.interval === old.recurring!.interval) {
    const lines = behavior === 'none' ? [] : [...credit, restOf(price, 'Remaining')];
    return { changes: { items }, lines, invoicedNow: behavior === 'always_invoice' };
  }
  const next: Period = periodAt(at, price, at);
  return {
    changes: {
      billing_cycle_anchor: at,
      items: itemsWith(subscription, { price, period: next }),
      ...endWithPeriod(subscription, next.end),
    },
    lines: [...credit, periodLine(price, next)],
    invoicedNow: true,
  };
}

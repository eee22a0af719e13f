import type Stripe from 'stripe';
import type { NewLine } from '../objects/invoices';
import { itemOf, itemsWith, type Period } from '../objects/subscriptions';
import type { World } from '../world/world';
import { discounted } from './discounting';
import { endWithPeriod } from './ending';
import { periodLine, periodOf, prorationLine, type Part } from './invoicing';
import { periodAt } from './periods';

export type ProrationBehavior = 'always_invoice' | 'create_prorations' | 'none';

/** What a change to another price comes to. */
export interface PlanChange {
  changes: Partial<Stripe.Subscription>;
  lines: NewLine[];
  /** Whether an invoice is due now; otherwise the lines wait for the next one. */
  invoicedNow: boolean;
}

/**
 * Unused time is given back and the new plan charged, to the second. Another interval begins a new period now and is
 * always invoiced; within the same one the rest of the period is charged. In a trial nothing is due.
 * @param at seconds from which the new plan counts
 */
export function planChange(
  world: World,
  subscription: Stripe.Subscription,
  { price, behavior, at }: { price: Stripe.Price; behavior: ProrationBehavior; at: number },
): PlanChange {
  const { price: old, quantity } = itemOf(subscription);
  const period = periodOf(subscription);
  if (price.id === old.id || subscription.status === 'trialing') {
    return { changes: { items: itemsWith(subscription, { price }) }, lines: [], invoicedNow: false };
  }
  const restOf = (plan: Stripe.Price): Part => ({
    ...{ price: plan, quantity: quantity!, from: at, period },
    wholeCents: discounted(world, subscription, plan.unit_amount! * quantity!),
  });
  const credit = behavior === 'none' ? [] : [prorationLine('Unused', restOf(old))];
  if (price.recurring!.interval === old.recurring!.interval) {
    return {
      changes: { items: itemsWith(subscription, { price }) },
      lines: behavior === 'none' ? [] : [...credit, prorationLine('Remaining', restOf(price))],
      invoicedNow: behavior === 'always_invoice',
    };
  }
  const next: Period = periodAt(at, price, at);
  return {
    changes: {
      billing_cycle_anchor: at,
      items: itemsWith(subscription, { price, period: next }),
      ...endWithPeriod(subscription, next.end),
    },
    lines: [...credit, periodLine(price, quantity!, next)],
    invoicedNow: true,
  };
}

import type Stripe from 'stripe';
import { activateIfSettled, payInvoice, voidInvoice } from './collecting';
import { discounted, withDiscounts } from './discounting';
import { endWithPeriod } from './ending';
import { balanced, draftInvoice, finalizeInvoice, periodLine, periodOf } from './invoicing';
import { periodAt } from '../world/stripe-time';
import { Refusal } from '../calls/call';
import { netOf, type NewLine } from '../objects/money';
import { itemOf, itemsWith, type Period } from '../objects/sales';
import { anObject } from '../schema/published';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';

/** The amount of a change to another price. */
export interface PlanChange {
  changes: Partial<Stripe.Subscription>;
  /** Of an invoice that is due now; none where nothing is. */
  lines: NewLine[];
}

/** Unused time is given back and the new plan charged, to the second: a new period begins now. In a trial nothing is due. */
export function planChange(world: World, subscription: Stripe.Subscription, price: Stripe.Price): PlanChange {
  const at = world.time.seconds;
  const { price: old } = itemOf(subscription);
  if (price.id === old.id || subscription.status === 'trialing') {
    return { changes: { items: itemsWith(subscription, { price }) }, lines: [] };
  }
  const { start, end } = periodOf(subscription);
  const unused = Math.round((discounted(world, subscription, old.unit_amount!) * (end - at)) / (end - start));
  const description = `Unused time on ${old.nickname}`;
  const next: Period = periodAt(at, price, at);
  return {
    changes: {
      billing_cycle_anchor: at,
      items: itemsWith(subscription, { price, period: next }),
      ...endWithPeriod(subscription, next.end),
    },
    lines: [
      { amountCents: -unused, description, period: { start: at, end }, price: old, proration: true },
      periodLine(price, next),
    ],
  };
}

export type PaymentBehavior = Stripe.SubscriptionUpdateParams.PaymentBehavior;

/** How long a change waits for its payment. */
const PENDING_SECONDS = 23 * 3_600;

/** Applies a change of plan and collects what is due for it. @throws Refusal when the card says no and nothing may change */
export function applyPlanChange(
  world: World,
  subscription: Stripe.Subscription,
  plan: PlanChange,
  behavior: PaymentBehavior,
): void {
  if (plan.lines.length === 0) {
    return world.change(subscription, 'customer.subscription.updated', plan.changes);
  }
  if (!canPay(world, subscription, plan)) {
    if (behavior === 'pending_if_incomplete') return waitForPayment(world, subscription, plan);
    if (behavior === 'error_if_incomplete') {
      const declined = { code: 'card_declined', decline_code: 'generic_decline', message: 'Your card was declined.' };
      throw new Refusal(402, { type: 'card_error', ...declined });
    }
  }
  const before = copyOf(subscription);
  const period = periodOf(subscription);
  Object.assign(subscription, plan.changes);
  const invoice = invoiceOf(world, subscription, plan, period);
  world.events.record('customer.subscription.updated', subscription, before);
  payInvoice(world, invoice);
}

/** Any card is good where nothing is due. */
function canPay(world: World, subscription: Stripe.Subscription, { lines }: PlanChange): boolean {
  const customer = world.customers.get(subscription.customer as string)!;
  const waiting = world.pendingLines.get(subscription.id) ?? [];
  const wanted = [...waiting, ...lines.map((line) => withDiscounts(world, subscription, line))];
  const total = wanted.reduce((sum, line) => sum + netOf(line), 0);
  return balanced(total, customer.balance).due === 0 || world.cards.get(customer.id) !== 'declines';
}

/** The invoice is there and unpaid; the change comes with its payment, or is dropped after 23 hours. */
function waitForPayment(world: World, subscription: Stripe.Subscription, plan: PlanChange): void {
  const before = copyOf(subscription);
  const invoice = invoiceOf(world, subscription, plan, periodOf(subscription));
  const apply = () => {
    world.change(subscription, 'customer.subscription.updated', { ...plan.changes, pending_update: null });
    world.tell('customer.subscription.pending_update_applied', subscription);
  };
  world.pendingChanges.set(subscription.id, { invoice: invoice.id, apply });
  subscription.pending_update = anObject('subscriptions_resource_pending_update', {
    billing_cycle_anchor: plan.changes.billing_cycle_anchor ?? null,
    expires_at: world.time.seconds + PENDING_SECONDS,
    subscription_items: plan.changes.items!.data,
  });
  world.events.record('customer.subscription.updated', subscription, before);
  payInvoice(world, invoice);
}

/** Drops a change whose payment did not come. */
export function expirePendingUpdate(world: World, subscription: Stripe.Subscription): void {
  const invoice = world.invoices.get(world.pendingChanges.get(subscription.id)!.invoice)!;
  world.pendingChanges.delete(subscription.id);
  voidInvoice(world, invoice);
  subscription.pending_update = null;
  world.tell('customer.subscription.pending_update_expired', subscription);
  activateIfSettled(world, subscription);
}

function invoiceOf(
  world: World,
  subscription: Stripe.Subscription,
  { lines }: PlanChange,
  period: { start: number; end: number },
): Stripe.Invoice {
  return finalizeInvoice(world, draftInvoice(world, subscription, { reason: 'subscription_update', lines, period }));
}

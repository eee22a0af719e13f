import type Stripe from 'stripe';
import { Refusal } from '../http/refusal';
import { netOf } from '../objects/invoices';
import { aPaymentIntent } from '../objects/payments';
import { copyOf } from '../world/ids';
import type { World } from '../world/world';
import type { PlanChange } from './changing-plan';
import { activateIfSettled, payInvoice, refuseMoney } from './collecting';
import { withDiscounts } from './discounting';
import { balanced, draftInvoice, finalizeInvoice, periodOf } from './invoicing';

export const PAYMENT_BEHAVIORS = ['allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete'] as const;
export type PaymentBehavior = (typeof PAYMENT_BEHAVIORS)[number];

/** How long a change waits for its payment. */
const PENDING_SECONDS = 23 * 3_600;

/** Applies a change of plan and collects what is due for it. @throws Refusal when the card says no and nothing may change */
export function applyPlanChange(
  world: World,
  subscription: Stripe.Subscription,
  plan: PlanChange,
  behavior: PaymentBehavior,
): void {
  if (!plan.invoicedNow) {
    if (plan.lines.length > 0) {
      world.pendingLines.set(subscription.id, [...(world.pendingLines.get(subscription.id) ?? []), ...plan.lines]);
    }
    world.change(subscription, 'customer.subscription.updated', plan.changes);
    return;
  }
  if (behavior === 'error_if_incomplete') refuseIfDeclined(world, subscription, plan);
  if (behavior === 'pending_if_incomplete' && !canPay(world, subscription, plan)) {
    return waitForPayment(world, subscription, plan);
  }
  const before = copyOf(subscription);
  const invoice = invoiceOf(world, subscription, plan, () => Object.assign(subscription, plan.changes));
  world.events.record('customer.subscription.updated', subscription, before);
  payInvoice(world, invoice);
}

function dueFor(world: World, subscription: Stripe.Subscription, { lines }: PlanChange): number {
  const waiting = world.pendingLines.get(subscription.id) ?? [];
  const wanted = [...waiting, ...lines.map((line) => withDiscounts(world, subscription, line))];
  const total = wanted.reduce((sum, line) => sum + netOf(line), 0);
  return balanced(total, world.customers.get(subscription.customer as string)!.balance).due;
}

function canPay(world: World, subscription: Stripe.Subscription, plan: PlanChange): boolean {
  const card = world.cards.get(subscription.customer as string) ?? 'good';
  return card === 'good' || dueFor(world, subscription, plan) === 0;
}

function refuseIfDeclined(world: World, subscription: Stripe.Subscription, plan: PlanChange): void {
  if (canPay(world, subscription, plan)) return;
  const card = world.cards.get(subscription.customer as string) as 'declines' | 'requires_action';
  const intent = aPaymentIntent(world.time.seconds, {
    amountCents: dueFor(world, subscription, plan),
    currency: subscription.currency,
    customer: subscription.customer as string,
    description: 'Subscription update',
  });
  world.add(world.paymentIntents, intent, 'payment_intent.created');
  const { code, declineCode, message } = refuseMoney(world, intent, card);
  throw new Refusal(402, {
    type: 'card_error',
    code: card === 'declines' ? code : 'subscription_payment_intent_requires_action',
    ...(card === 'declines' && { decline_code: declineCode }),
    message,
    charge: intent.latest_charge as string,
    payment_intent: copyOf(intent),
  });
}

/** The invoice is there and unpaid; the change comes with its payment, or is dropped after 23 hours. */
function waitForPayment(world: World, subscription: Stripe.Subscription, plan: PlanChange): void {
  const before = copyOf(subscription);
  const invoice = invoiceOf(world, subscription, plan, () => undefined);
  const apply = () => {
    const old = copyOf(subscription);
    Object.assign(subscription, plan.changes, { pending_update: null });
    world.events.record('customer.subscription.updated', subscription, old);
    world.tell('customer.subscription.pending_update_applied', subscription);
  };
  world.pendingChanges.set(subscription.id, { invoice: invoice.id, apply });
  subscription.pending_update = {
    billing_cycle_anchor: plan.changes.billing_cycle_anchor ?? null,
    discount: null,
    discounts: null,
    expires_at: world.time.seconds + PENDING_SECONDS,
    metadata: null,
    subscription_items: plan.changes.items!.data,
    trial_end: null,
    trial_from_plan: null,
  };
  world.events.record('customer.subscription.updated', subscription, before);
  payInvoice(world, invoice);
}

/** Drops a change whose payment did not come. */
export function expirePendingUpdate(world: World, subscription: Stripe.Subscription): void {
  const invoice = world.invoices.get(world.pendingChanges.get(subscription.id)!.invoice)!;
  world.pendingChanges.delete(subscription.id);
  const { status_transitions: times } = invoice;
  Object.assign(invoice, {
    auto_advance: false,
    next_payment_attempt: null,
    status: 'void',
    status_transitions: { ...times, voided_at: world.time.seconds },
  });
  world.tell('invoice.voided', invoice);
  subscription.pending_update = null;
  world.tell('customer.subscription.pending_update_expired', subscription);
  activateIfSettled(world, subscription);
}

function invoiceOf(
  world: World,
  subscription: Stripe.Subscription,
  { lines }: PlanChange,
  apply: () => void,
): Stripe.Invoice {
  const period = periodOf(subscription);
  apply();
  const invoice = draftInvoice(world, subscription, { reason: 'subscription_update', lines, period });
  finalizeInvoice(world, invoice);
  return invoice;
}

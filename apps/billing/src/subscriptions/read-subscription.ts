import { PAID_PLAN_CODES, PLANS, type PaidPlanCode } from '@evenkeel/contracts';
import type { SubscriptionStatus, WholeSubscription } from './facts';
import { idAt, instantAt, listAt, objectAt, textAt, type ProviderObject } from '../provider/members';
import { recurringAmount } from './recurring-amount';

const STATUSES: ReadonlyMap<string, SubscriptionStatus> = new Map([
  ['incomplete', 'INCOMPLETE'],
  ['incomplete_expired', 'EXPIRED'],
  ['trialing', 'TRIALING'],
  ['active', 'ACTIVE'],
  ['past_due', 'PAST_DUE'],
  ['unpaid', 'EXPIRED'],
  ['paused', 'EXPIRED'],
  ['canceled', 'CANCELED'],
]);

/** The plan of each price at the provider. */
export type PlanOfPrice = ReadonlyMap<string, PaidPlanCode>;

/**
 * Reads a subscription of the provider, of API versions before and after 2025-03-31.
 * @param object an event's, or that of a read with `latest_invoice` and all discounts expanded
 * @param plans by the prices that are ours, former ones too
 * @param at when it was so
 * @param invoices of the subscription, the latest first; only a read that finds a payment failing asks for them
 * @returns null for an object without a status that is known
 */
export function readSubscription(
  object: ProviderObject,
  plans: PlanOfPrice,
  at: Date,
  invoices: readonly ProviderObject[] = [],
): WholeSubscription | null {
  const status = STATUSES.get(textAt(object, 'status') ?? '');
  if (status === undefined) return null;
  const all = listAt(object, 'items');
  const ours = all.filter((item) => plans.has(priceOf(item)));
  const planCode = PAID_PLAN_CODES.findLast((code) => ours.some((item) => plans.get(priceOf(item)) === code)) ?? null;
  // A subscription of our checkout has only items of ours, whatever their present prices are.
  const items = ours.length > 0 ? ours : all;
  const { interval, micros, discountEnd } = recurringAmount(object, items, at);
  const stated = textAt(object, 'metadata', 'plan_code');
  const cancelledFor = textAt(object, 'cancellation_details', 'reason');
  const invoice = objectAt(object, 'latest_invoice');
  const isUnpaid = textAt(object, 'status') === 'unpaid';
  const owes = status === 'PAST_DUE' || status === 'INCOMPLETE';
  return {
    kind: 'subscription',
    status: status === 'CANCELED' && cancelledFor === 'payment_failed' ? 'EXPIRED' : status,
    mayReturn: isUnpaid || textAt(object, 'status') === 'paused',
    planCode,
    statedPlan: PAID_PLAN_CODES.find((code) => code === stated) ?? null,
    interval: interval ?? (planCode && PLANS[planCode].interval),
    recurringMicros: micros,
    discountEnd,
    startedAt: instantAt(object, 'start_date') ?? instantAt(object, 'created'),
    currentPeriodEnd: periodEnd(object, items),
    cancelAtPeriodEnd: object['cancel_at_period_end'] === true,
    cancelAt: instantAt(object, 'cancel_at'),
    trialEnd: instantAt(object, 'trial_end'),
    collectionPaused: objectAt(object, 'pause_collection') !== null,
    pastDueSince: owes ? owedSince(object, invoices.length === 0 && invoice ? [invoice] : invoices) : null,
    paymentUrl: (owes || isUnpaid) && invoice ? textAt(invoice, 'hosted_invoice_url') : null,
    latestInvoice: idAt(object, 'latest_invoice'),
    hasPendingUpdate: objectAt(object, 'pending_update') !== null,
  };
}

/**
 * When the oldest invoice was due of those that were not paid since one was, or since a trial, in which nothing is due: a
 * draft is due later than it was made.
 */
function owedSince(subscription: ProviderObject, invoices: readonly ProviderObject[]): string | null {
  const trialEnd = instantAt(subscription, 'trial_end');
  // One that was made by hand is no part of it.
  const ofPeriods = invoices.filter((invoice) => textAt(invoice, 'billing_reason') !== 'manual');
  const due = ofPeriods.flatMap((invoice) => {
    const at = instantAt(invoice, 'status_transitions', 'finalized_at');
    const isBeforeTrial = at !== null && trialEnd !== null && Date.parse(at) < Date.parse(trialEnd);
    return at === null || isBeforeTrial ? [] : [{ at, status: textAt(invoice, 'status') }];
  });
  const latestFirst = due.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const paid = latestFirst.findIndex(({ status }) => status === 'paid');
  const unpaid = paid === -1 ? latestFirst : latestFirst.slice(0, paid);
  return unpaid.findLast(({ status }) => status === 'open')?.at ?? null;
}

function priceOf(item: ProviderObject): string {
  return textAt(item, 'price', 'id') ?? textAt(item, 'plan', 'id') ?? '';
}

function periodEnd(object: ProviderObject, items: readonly ProviderObject[]): string | null {
  const ends = items.flatMap((item) => instantAt(item, 'current_period_end') ?? []);
  return ends.sort().at(-1) ?? instantAt(object, 'current_period_end');
}

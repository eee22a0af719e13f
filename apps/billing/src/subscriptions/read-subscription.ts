import { PLANS, type PaidPlanCode, type PlanInterval } from '@evenkeel/contracts';
import type { SubscriptionStatus, WholeSubscription } from './facts';
import { instantAt, integerAt, listAt, objectAt, textAt, type ProviderObject } from '../provider/members';

const MICROS_PER_CENT = 10_000;

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
 * What a subscription of the provider says, of API versions before and after 2025-03-31.
 * @param object an event's, or that of a read with `latest_invoice` and all discounts expanded
 * @param invoices of the subscription, the latest first; only a read that finds a payment failing asks for them
 * @returns null for an object without a status that is known
 */
export function readSubscription(
  object: ProviderObject,
  plans: PlanOfPrice,
  invoices: readonly ProviderObject[] = [],
): WholeSubscription | null {
  const stated = STATUSES.get(textAt(object, 'status') ?? '');
  if (stated === undefined) return null;
  const items = listAt(object, 'items');
  const priceIds = items.map((item) => textAt(item, 'price', 'id') ?? textAt(item, 'plan', 'id'));
  const planCode = priceIds.flatMap((id) => plans.get(id ?? '') ?? [])[0] ?? null;
  const cancelledFor = textAt(object, 'cancellation_details', 'reason');
  const invoice = objectAt(object, 'latest_invoice');
  const owes = stated === 'PAST_DUE' || stated === 'INCOMPLETE';
  return {
    kind: 'subscription',
    status: stated === 'CANCELED' && cancelledFor === 'payment_failed' ? 'EXPIRED' : stated,
    mayReturn: ['unpaid', 'paused'].includes(textAt(object, 'status') ?? ''),
    planCode,
    interval: intervalOf(items[0]) ?? (planCode && PLANS[planCode].interval),
    recurringMicros: recurringMicros(object, items),
    startedAt: instantAt(object, 'start_date') ?? instantAt(object, 'created'),
    currentPeriodEnd: periodEnd(object, items),
    cancelAtPeriodEnd: object['cancel_at_period_end'] === true,
    cancelAt: instantAt(object, 'cancel_at'),
    trialEnd: instantAt(object, 'trial_end'),
    collectionPaused: objectAt(object, 'pause_collection') !== null,
    pastDueSince: owes ? owedSince(invoices.length === 0 && invoice ? [invoice] : invoices) : null,
    paymentUrl: owes && invoice ? textAt(invoice, 'hosted_invoice_url') : null,
  };
}

/** When the oldest invoice was due of those that were not paid since one was: a draft is due later than it was made. */
function owedSince(invoices: readonly ProviderObject[]): string | null {
  const due = invoices.flatMap((invoice) => {
    const at = instantAt(invoice, 'status_transitions', 'finalized_at');
    return at === null ? [] : [{ at, status: textAt(invoice, 'status') }];
  });
  const latestFirst = due.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const paid = latestFirst.findIndex(({ status }) => status === 'paid');
  const unpaid = paid === -1 ? latestFirst : latestFirst.slice(0, paid);
  return unpaid.findLast(({ status }) => status === 'open')?.at ?? null;
}

function periodEnd(object: ProviderObject, items: readonly ProviderObject[]): string | null {
  const ends = items.flatMap((item) => instantAt(item, 'current_period_end') ?? []);
  return ends.sort().at(-1) ?? instantAt(object, 'current_period_end');
}

function intervalOf(item: ProviderObject | undefined): PlanInterval | null {
  const interval = textAt(item, 'price', 'recurring', 'interval') ?? textAt(item, 'plan', 'interval');
  return interval === 'month' || interval === 'year' ? interval : null;
}

/** Of one interval, after discounts; null when there are discounts that the object only names, or when it is no amount. */
function recurringMicros(object: ProviderObject, items: readonly ProviderObject[]): number | null {
  const ofItems = items.map((item) => {
    const price = integerAt(item, 'price', 'unit_amount') ?? integerAt(item, 'plan', 'amount') ?? 0;
    return afterDiscounts(price * (integerAt(item, 'quantity') ?? 1), couponsOf(item));
  });
  if (ofItems.includes(null)) return null;
  const all = (ofItems as number[]).reduce((sum, cents) => sum + cents, 0);
  const cents = afterDiscounts(all, couponsOf(object));
  const micros = cents === null ? null : Math.round(cents * MICROS_PER_CENT);
  return micros !== null && micros >= 0 && Number.isSafeInteger(micros) ? micros : null;
}

/** The coupon of each discount of a subscription or of one of its items; null for one that is only named. */
function couponsOf(object: ProviderObject): (ProviderObject | null)[] {
  const told = objectAt(object, 'discount');
  const named: unknown[] = Array.isArray(object['discounts']) ? object['discounts'] : [told];
  const discounts = named.filter((discount) => discount !== null && discount !== undefined);
  return discounts.map((discount) => {
    const whole = told !== null && discount === textAt(told, 'id') ? told : discount;
    return objectAt(whole, 'source', 'coupon') ?? objectAt(whole, 'coupon');
  });
}

/** Each takes from what the ones before it have left. */
function afterDiscounts(cents: number, coupons: readonly (ProviderObject | null)[]): number | null {
  let left = cents;
  for (const coupon of coupons) {
    if (coupon === null) return null;
    const percent = coupon['percent_off'];
    left -= typeof percent === 'number' ? (left * percent) / 100 : (integerAt(coupon, 'amount_off') ?? 0);
    left = Math.max(0, left);
  }
  return left;
}

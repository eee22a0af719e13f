import type { SubscriptionChanged, SubscriptionState } from '@evenkeel/contracts';
import type { SubscriptionHistory } from '../../projection/subscriptions/subscription-history.fixture';
import { dayOf, grouped, total } from '../counted.fixture';

export type CountedSubscriptions = ReturnType<typeof countedSubscriptions>;

const dayIn = (instant: string) => dayOf(Date.parse(instant));

function monthly({ status, interval, recurringMicros, collectionPaused }: SubscriptionState): number {
  if ((status !== 'ACTIVE' && status !== 'PAST_DUE') || collectionPaused) return 0;
  return interval === 'year' ? Math.floor((2 * recurringMicros + 12) / 24) : recurringMicros;
}

/** The versions of each user in their order. */
function byUser(changes: readonly SubscriptionChanged[]): SubscriptionChanged[][] {
  const users = [...grouped(changes, ({ userId }) => userId).values()];
  return users.map((versions) => versions.sort((one, other) => one.version - other.version));
}

/**
 * The expected figures of a period, counted by loops from the whole history.
 * @param from, to days, both included
 * @param untilMs of the last day only the time before it
 */
export function countedSubscriptions(history: SubscriptionHistory, from: string, to: string, untilMs = Infinity) {
  const mrr = { start: 0, new: 0, reactivation: 0, expansion: 0, contraction: 0, churn: 0, end: 0 };
  const subscribers = { start: 0, new: 0, reactivated: 0, churned: 0, end: 0 };
  for (const versions of byUser(history.changes)) {
    let [before, day, atMs, paid] = [0, '', 0, false];
    for (const { subscriptions, changedAt } of versions) {
      const after = total(subscriptions.map(monthly));
      if (dayIn(changedAt) > day) day = dayIn(changedAt);
      atMs = Math.max(atMs, Date.parse(changedAt));
      const isIn = day < to || (day === to && atMs < untilMs);
      const [begins, ends] = [before === 0 && after > 0, before > 0 && after === 0];
      const change = Number(begins) - Number(ends);
      if (day < from) {
        mrr.start += after - before;
        subscribers.start += change;
      } else if (isIn) {
        if (begins) mrr[paid ? 'reactivation' : 'new'] += after;
        else if (ends) mrr.churn += before;
        else if (after > before) mrr.expansion += after - before;
        else mrr.contraction += before - after;
        if (begins) subscribers[paid ? 'reactivated' : 'new']++;
        if (ends) subscribers.churned++;
      }
      if (isIn) {
        mrr.end += after - before;
        subscribers.end += change;
      }
      paid ||= after > 0;
      before = after;
    }
  }
  const isIn = (at: string) => dayIn(at) >= from && (dayIn(at) < to || (dayIn(at) === to && Date.parse(at) < untilMs));
  const invoices = history.invoices.filter(({ paidAt }) => isIn(paidAt));
  const adjusted = (kind: string) =>
    total(history.adjustments.map((one) => (one.kind === kind && isIn(one.occurredAt) ? one.amountMicros : 0)));
  const amounts = {
    gross: total(invoices.map(({ amountMicros }) => amountMicros)),
    tax: total(invoices.map(({ taxMicros }) => taxMicros)),
    refunded: adjusted('refund') - adjusted('refund_failed'),
    disputed: adjusted('dispute') - adjusted('dispute_won'),
  };
  return { mrr, subscribers, paid: invoices.length, amounts };
}

/** How the subscriptions stand of which the latest version of each user tells. */
export function countedStanding({ changes }: SubscriptionHistory, now: Date) {
  const latest = byUser(changes).map((versions) => versions.at(-1)!);
  const live = latest
    .flatMap(({ subscriptions }) => subscriptions)
    .filter(({ status }) => ['ACTIVE', 'PAST_DUE', 'TRIALING'].includes(status));
  const count = (status: string) => live.filter((subscription) => subscription.status === status).length;
  const isGranted = ({ grants }: SubscriptionChanged) =>
    grants.some(({ until }) => until === null || Date.parse(until) > now.getTime());
  return {
    active: count('ACTIVE'),
    past_due: count('PAST_DUE'),
    trialing: count('TRIALING'),
    scheduled_to_cancel: live.filter(({ cancelAt }) => cancelAt !== null).length,
    granted: latest.filter(isGranted).length,
  };
}

/** MRR with payers by plan, at the end of a day. */
export function countedPlans({ changes }: SubscriptionHistory, to: string) {
  const plans = new Map<string, { subscribers: number; micros: number }>();
  for (const versions of byUser(changes)) {
    // A later version never counts before an earlier one.
    const later = versions.findIndex(({ changedAt }) => dayIn(changedAt) > to);
    const subscriptions = versions.slice(0, later === -1 ? undefined : later).at(-1)?.subscriptions ?? [];
    for (const [plan, own] of grouped(subscriptions, ({ planCode }) => String(planCode))) {
      const micros = total(own.map(monthly));
      const before = plans.get(plan) ?? { subscribers: 0, micros: 0 };
      if (micros > 0) plans.set(plan, { subscribers: before.subscribers + 1, micros: before.micros + micros });
    }
  }
  return plans;
}

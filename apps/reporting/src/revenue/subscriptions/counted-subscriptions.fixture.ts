import type { SubscriptionChanged, SubscriptionState } from '@evenkeel/contracts';
import type { SubscriptionHistory } from '../../projection/subscriptions/subscription-history.fixture';

/** The expected figures of a period, counted by loops from the whole history. */
export interface CountedSubscriptions {
  mrr: Record<'start' | 'new' | 'reactivation' | 'expansion' | 'contraction' | 'churn' | 'end', bigint>;
  subscribers: Record<'start' | 'new' | 'reactivated' | 'churned' | 'end', number>;
  invoices: Record<'gross' | 'tax' | 'refunded' | 'disputed', bigint> & { paid: number };
}

const dayOf = (instant: string) => new Date(instant).toISOString().slice(0, 10);

function monthly({ status, interval, recurringMicros, collectionPaused }: SubscriptionState): bigint {
  if ((status !== 'ACTIVE' && status !== 'PAST_DUE') || collectionPaused) return 0n;
  const micros = BigInt(recurringMicros);
  return interval === 'year' ? (2n * micros + 12n) / 24n : micros;
}

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** The versions of each user in their order. */
function byUser(changes: readonly SubscriptionChanged[]): SubscriptionChanged[][] {
  const users = [...new Set(changes.map(({ userId }) => userId))];
  return users.map((user) =>
    changes.filter(({ userId }) => userId === user).sort((one, other) => one.version - other.version),
  );
}

/**
 * @param from, to days, both included
 * @param untilMs of the last day only the time before it
 */
export function countedSubscriptions(
  history: SubscriptionHistory,
  from: string,
  to: string,
  untilMs = Infinity,
): CountedSubscriptions {
  const mrr = { start: 0n, new: 0n, reactivation: 0n, expansion: 0n, contraction: 0n, churn: 0n, end: 0n };
  const subscribers = { start: 0, new: 0, reactivated: 0, churned: 0, end: 0 };
  for (const versions of byUser(history.changes)) {
    let [before, day, atMs, paid] = [0n, '', 0, false];
    for (const { subscriptions, changedAt } of versions) {
      const after = sum(subscriptions.map(monthly));
      if (dayOf(changedAt) > day) day = dayOf(changedAt);
      atMs = Math.max(atMs, Date.parse(changedAt));
      const isIn = day < to || (day === to && atMs < untilMs);
      const [begins, ends] = [before === 0n && after > 0n, before > 0n && after === 0n];
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
      paid ||= after > 0n;
      before = after;
    }
  }
  return { mrr, subscribers, invoices: countedInvoices(history, from, to, untilMs) };
}

function countedInvoices({ invoices, adjustments }: SubscriptionHistory, from: string, to: string, untilMs: number) {
  const isIn = (at: string) => dayOf(at) >= from && (dayOf(at) < to || (dayOf(at) === to && Date.parse(at) < untilMs));
  const paid = invoices.filter(({ paidAt }) => isIn(paidAt));
  const adjusted = (kind: string) =>
    sum(adjustments.filter((one) => one.kind === kind && isIn(one.occurredAt)).map((one) => BigInt(one.amountMicros)));
  return {
    paid: paid.length,
    gross: sum(paid.map(({ amountMicros }) => BigInt(amountMicros))),
    tax: sum(paid.map(({ taxMicros }) => BigInt(taxMicros))),
    refunded: adjusted('refund') - adjusted('refund_failed'),
    disputed: adjusted('dispute') - adjusted('dispute_won'),
  };
}

/** How the subscriptions stand of which the latest version of each user tells. */
export function countedStanding({ changes }: SubscriptionHistory, now: Date) {
  const latest = byUser(changes).map((versions) => versions.at(-1)!);
  const live = latest
    .flatMap(({ subscriptions }) => subscriptions)
    .filter(({ status }) => ['ACTIVE', 'PAST_DUE', 'TRIALING'].includes(status));
  const count = (status: string) => live.filter((subscription) => subscription.status === status).length;
  return {
    active: count('ACTIVE'),
    past_due: count('PAST_DUE'),
    trialing: count('TRIALING'),
    scheduled_to_cancel: live.filter(({ cancelAt }) => cancelAt !== null).length,
    granted: latest.filter(({ grants }) =>
      grants.some(({ until }) => until === null || Date.parse(until) > now.getTime()),
    ).length,
  };
}

/** MRR with payers by plan, at the end of a day. */
export function countedPlans({ changes }: SubscriptionHistory, to: string) {
  const plans = new Map<string, { subscribers: number; micros: bigint }>();
  for (const versions of byUser(changes)) {
    // A later version never counts before an earlier one.
    const later = versions.findIndex(({ changedAt }) => dayOf(changedAt) > to);
    const subscriptions = versions.slice(0, later === -1 ? undefined : later).at(-1)?.subscriptions ?? [];
    for (const plan of new Set(subscriptions.map(({ planCode }) => String(planCode)))) {
      const micros = sum(subscriptions.filter(({ planCode }) => String(planCode) === plan).map(monthly));
      if (micros === 0n) continue;
      const before = plans.get(plan) ?? { subscribers: 0, micros: 0n };
      plans.set(plan, { subscribers: before.subscribers + 1, micros: before.micros + micros });
    }
  }
  return plans;
}

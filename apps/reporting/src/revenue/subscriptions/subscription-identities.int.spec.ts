import type { SubscriptionChanged, SubscriptionState } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import fc from 'fast-check';
import { anyOrder, LAST_DAY } from '../../projection/history.fixture';
import {
  publishedOf,
  SUBSCRIPTION_HISTORIES,
  type SubscriptionHistory,
} from '../../projection/subscriptions/subscription-history.fixture';
import { before, compared, monthAsked, type Side } from '../all-answers.fixture';
import { DAY_MS, dayOf, exact, grouped, micros, money, total } from '../counted.fixture';
import type { Money } from '../figures/figures';
import { noon, Reporting } from '../reporting.fixture';
import type { SubscriptionsView } from './subscription-figures';

const RUNS = Number(process.env.SUBSCRIPTION_RUNS ?? sized(10, 500));
const SEED = Number(process.env.SUBSCRIPTION_SEED ?? Math.floor(Math.random() * 2 ** 31));

const reporting = Reporting.forSuite();

const dayIn = (instant: string) => dayOf(Date.parse(instant));

function monthly({ status, interval, recurringMicros, collectionPaused }: SubscriptionState): number {
  if ((status !== 'ACTIVE' && status !== 'PAST_DUE') || collectionPaused) return 0;
  return interval === 'year' ? Math.floor((2 * recurringMicros + 12) / 24) : recurringMicros;
}

function byUser(changes: readonly SubscriptionChanged[]): SubscriptionChanged[][] {
  const users = [...grouped(changes, ({ userId }) => userId).values()];
  return users.map((versions) => versions.sort((one, other) => one.version - other.version));
}

/**
 * The expected figures of a period, counted by loops from the whole history.
 * @param from, to days, both included
 * @param untilMs of the last day only the time before it
 */
function countedSubscriptions(history: SubscriptionHistory, from: string, to: string, untilMs = Infinity) {
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
function countedStanding({ changes }: SubscriptionHistory, now: Date) {
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

function countedPlans({ changes }: SubscriptionHistory, to: string) {
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

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS;

const LAST_DAYS = fc
  .integer({ min: 1, max: 75 })
  .map((days) => compared(noon, `days=${days}`, before(LAST_DAY, days - 1), LAST_DAY));
const RANGES = fc.tuple(fc.nat(75), fc.nat(75)).map((ends) => {
  const [from, to] = [before(LAST_DAY, Math.max(...ends)), before(LAST_DAY, Math.min(...ends))];
  return compared(noon, `from=${from}&to=${to}`, from, to);
});
const MONTHS = fc.constantFrom('2025-11', '2025-12', '2026-01', '2026-02').map((month) => monthAsked(noon, month));
const PERIODS = fc.oneof(LAST_DAYS, RANGES, MONTHS);

const moneyOf = (amounts: Record<string, number>) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, money(amount)]));

function expected({ mrr, subscribers, paid, amounts }: ReturnType<typeof countedSubscriptions>) {
  const net = amounts.gross - amounts.tax - amounts.refunded - amounts.disputed;
  return { mrr: moneyOf(mrr), subscribers, invoices: { paid, ...moneyOf({ ...amounts, net }) } };
}

const valueOf = ({ usd_exact }: Money) => micros(usd_exact);

/** Points add up to the sums beside them, on the printed texts. */
function expectToAddUp({ mrr, subscribers, invoices, points }: Omit<SubscriptionsView, 'standing' | 'plans'>): void {
  expect(points.at(-1)!.mrr).toEqual(mrr.end);
  for (const name of ['gross', 'refunded'] as const) {
    expect(total(points.map((point) => valueOf(point[name])))).toBe(valueOf(invoices[name]));
  }
  for (const name of ['new', 'churned'] as const) {
    expect(total(points.map((point) => point[name]))).toBe(subscribers[name]);
  }
}

/** The sums of the file of invoices, as its reader would make them. */
function fileSums(lines: readonly Record<string, string>[]) {
  const sum = (kind: string, name = 'amount_usd') =>
    total(lines.map((line) => (line['kind'] === kind ? micros(line[name]!) : 0)));
  return {
    paid: lines.filter(({ kind }) => kind === 'paid').length,
    gross: money(sum('paid')),
    tax: money(sum('paid', 'tax_usd')),
    refunded: money(sum('refund') - sum('refund_failed')),
    disputed: money(sum('dispute') - sum('dispute_won')),
  };
}

it(
  `figures of every day and window equal a count of all versions, in whatever order they come (SUBSCRIPTION_SEED=${SEED})`,
  async () => {
    const told = SUBSCRIPTION_HISTORIES.chain((history) =>
      fc.record({ history: fc.constant(history), events: anyOrder(publishedOf(history)) }),
    );
    await fc.assert(
      fc.asyncProperty(told, PERIODS, async ({ history, events }, { query, from, to, current, earlier }) => {
        await reporting.forget();
        await reporting.publish(...events);
        const answer = await reporting.answer<SubscriptionsView>(`subscriptions?${query}&compare=previous`);
        const [first] = await reporting.database.dataSource.query<[{ day: string | null }]>(
          `SELECT min(day)::text AS day FROM (
             SELECT day FROM subscription_versions WHERE movement IS NOT NULL
             UNION ALL SELECT (paid_at AT TIME ZONE 'UTC')::date FROM invoices
             UNION ALL SELECT (occurred_at AT TIME ZONE 'UTC')::date FROM invoice_adjustments
           ) days`,
        );
        const isFirst = first.day === null || dayOf(earlier.fromMs) < first.day;
        const side = ({ days, untilMs }: Side) => {
          const ends = [dayOf(days.fromMs), dayOf(days.untilMs - 1)] as const;
          const figures = expected(countedSubscriptions(history, ...ends, untilMs));
          return { days: daysBetween(...ends) + 1, from: ends[0], to: ends[1], ...figures };
        };

        expect(answer).toMatchObject({
          ...side({ ...current, untilMs: Infinity }),
          standing: countedStanding(history, noon),
          previous: isFirst ? null : { ...side(earlier), compared: side(current) },
        });
        expect(answer.invoices).toMatchObject(fileSums(await reporting.file(`invoices.csv?${query}`)));
        expectToAddUp(answer);
        expect(answer.points.map(({ date }) => date)).toHaveLength(daysBetween(from, to) + 1);
        for (const { date, mrr } of answer.points) {
          expect([date, mrr.usd_exact]).toEqual([date, exact(countedSubscriptions(history, date, date).mrr.end)]);
        }

        expect(total(answer.plans.map(({ mrr }) => valueOf(mrr)))).toBe(valueOf(answer.mrr.end));
        const shown = answer.plans.filter(({ subscribers }) => subscribers > 0);
        expect(
          new Map(shown.map(({ code, subscribers, mrr }) => [String(code), { subscribers, micros: valueOf(mrr) }])),
        ).toEqual(countedPlans(history, to));
        expect(await audit(reporting.database.dataSource)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 3_000 + 30_000,
);

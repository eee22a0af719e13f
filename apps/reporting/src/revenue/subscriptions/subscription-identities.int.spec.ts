import { audit } from '@evenkeel/audit';
import fc from 'fast-check';
import {
  anyOrder,
  publishedOf,
  SUBSCRIPTION_HISTORIES,
} from '../../projection/subscriptions/subscription-history.fixture';
import { exact } from '../counted.fixture';
import { noon, Reporting } from '../reporting.fixture';
import { BillingStream } from './billing-stream.fixture';
import { countedNow, countedSubscriptions, type CountedSubscriptions } from './counted-subscriptions.fixture';
import type { SubscriptionsView } from './subscription-figures';

const RUNS = Number(process.env.SUBSCRIPTION_RUNS ?? sized(20, 500));
const SEED = Number(process.env.SUBSCRIPTION_SEED ?? Math.floor(Math.random() * 2 ** 31));
const DAY_MS = 86_400_000;

let reporting: Reporting;
let billing: BillingStream;
beforeAll(async () => {
  reporting = await Reporting.start();
  billing = await BillingStream.open(reporting);
});
afterAll(async () => {
  await reporting.close();
  await billing.close();
});

const dayBefore = (days: number) => new Date(noon.getTime() - days * DAY_MS).toISOString().slice(0, 10);
const micros = (money: { usd_exact: string }) => BigInt(money.usd_exact.replace('.', ''));
const moneyOf = (amounts: Record<string, bigint>) =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, expect.objectContaining({ usd_exact: exact(amount) })]),
  );

function expected({ mrr, subscribers, invoices: { paid, ...amounts } }: CountedSubscriptions) {
  const net = amounts.gross - amounts.tax - amounts.refunded - amounts.disputed;
  return { mrr: moneyOf(mrr), subscribers, invoices: { paid, ...moneyOf({ ...amounts, net }) } };
}

type Figures = Pick<SubscriptionsView, 'mrr' | 'subscribers' | 'invoices' | 'points'>;

/** What a reader can check with the answer alone, on the printed texts. */
function expectToAddUp({ mrr, subscribers, invoices, points }: Figures): void {
  const { start, reactivation, expansion, contraction, churn, end } = mrr;
  const moved = micros(mrr.new) + micros(reactivation) + micros(expansion) - micros(contraction) - micros(churn);
  expect(exact(micros(start) + moved)).toBe(end.usd_exact);
  expect(points.at(-1)!.mrr).toEqual(end);
  expect(subscribers.start + subscribers.new + subscribers.reactivated - subscribers.churned).toBe(subscribers.end);
  for (const name of ['gross', 'refunded'] as const) {
    const all = points.reduce((sum, point) => sum + micros(point[name]), 0n);
    expect(exact(all)).toBe(invoices[name].usd_exact);
  }
  for (const name of ['new', 'churned'] as const) {
    expect(points.reduce((sum, point) => sum + point[name], 0)).toBe(subscribers[name]);
  }
}

it(
  `figures of every day and window equal a count of all versions, in whatever order they come (SUBSCRIPTION_SEED=${SEED})`,
  async () => {
    const told = SUBSCRIPTION_HISTORIES.chain((history) =>
      fc.record({ history: fc.constant(history), events: anyOrder(publishedOf(history)) }),
    );
    await fc.assert(
      fc.asyncProperty(told, fc.integer({ min: 1, max: 75 }), async ({ history, events }, days) => {
        await billing.forget();
        await billing.publish(...events);
        const answer = await reporting.answer<SubscriptionsView>(`subscriptions?days=${days}&compare=previous`);
        const [from, to] = [dayBefore(days - 1), dayBefore(0)];
        // Complete days are compared, and today alone with yesterday.
        const complete = Math.max(1, days - 1);
        const [previousFrom, previousTo] = [dayBefore(days - 1 + complete), dayBefore(days)];
        const currentTo = days === 1 ? to : dayBefore(1);
        const [first] = await reporting.database.dataSource.query<[{ day: string | null }]>(
          'SELECT min(day)::text AS day FROM subscription_days FULL JOIN invoice_days USING (day)',
        );
        const isFirst = first.day === null || previousFrom < first.day;
        const { standing, plans } = countedNow(history, noon);

        expect(answer).toMatchObject({
          ...{ days, from, to, ...expected(countedSubscriptions(history, from, to)), standing },
          previous: isFirst
            ? null
            : {
                ...{ days: complete, from: previousFrom, to: previousTo },
                ...expected(countedSubscriptions(history, previousFrom, previousTo)),
                compared: { from, to: currentTo, ...expected(countedSubscriptions(history, from, currentTo)) },
              },
        });
        expectToAddUp(answer);
        if (!isFirst) expectToAddUp(answer.previous!);
        expect(answer.points.map(({ date }) => date)).toHaveLength(days);
        for (const { date, mrr } of answer.points) {
          expect([date, mrr.usd_exact]).toEqual([date, exact(countedSubscriptions(history, date, date).mrr.end)]);
        }

        const sumOfPlans = answer.plans.reduce((sum, { mrr }) => sum + micros(mrr), 0n);
        expect(exact(sumOfPlans)).toBe(answer.mrr.end.usd_exact);
        const shown = answer.plans.filter(({ subscribers }) => subscribers > 0);
        expect(
          new Map(shown.map(({ code, subscribers, mrr }) => [String(code), { subscribers, micros: micros(mrr) }])),
        ).toEqual(plans);
        expect(await audit(reporting.database.dataSource)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 3_000 + 30_000,
);

import { audit } from '@evenkeel/ops/audit';
import fc from 'fast-check';
import { anyOrder } from '../../projection/history.fixture';
import { publishedOf, SUBSCRIPTION_HISTORIES } from '../../projection/subscriptions/subscription-history.fixture';
import { exact } from '../counted.fixture';
import { noon, Reporting } from '../reporting.fixture';
import { BillingStream } from './billing-stream.fixture';
import {
  countedPlans,
  countedStanding,
  countedSubscriptions,
  type CountedSubscriptions,
} from './counted-subscriptions.fixture';
import type { SubscriptionsView } from './subscription-figures';

const RUNS = Number(process.env.SUBSCRIPTION_RUNS ?? sized(10, 500));
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
const dayAfter = (day: string, days: number) => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** Days, both included. */
type Days = [from: string, to: string];

/** A period as it is asked for, and what is compared with what. */
interface Asked {
  query: string;
  days: Days;
  before: Days;
}

/** The same weekdays, in the nearest whole weeks before that have no day in common. */
function asked(query: string, [from, to]: Days): Asked {
  const back = -7 * Math.ceil((daysBetween(from, to) + 1) / 7);
  return { query, days: [from, to], before: [dayAfter(from, back), dayAfter(to, back)] };
}

const LAST_DAYS = fc
  .integer({ min: 1, max: 75 })
  .map((days) => asked(`days=${days}`, [dayBefore(days - 1), dayBefore(0)]));
const RANGES = fc.tuple(fc.nat(75), fc.nat(75)).map((ends) => {
  const [from, to] = [dayBefore(Math.max(...ends)), dayBefore(Math.min(...ends))];
  return asked(`from=${from}&to=${to}`, [from, to]);
});
/** The tenth of February is today. A month is compared with the one before: with all of it when it is over. */
const MONTHS = fc.constantFrom<Asked>(
  {
    query: 'month=2025-11',
    days: ['2025-11-01', '2025-11-30'],
    before: ['2025-10-01', '2025-10-31'],
  },
  {
    query: 'month=2025-12',
    days: ['2025-12-01', '2025-12-31'],
    before: ['2025-11-01', '2025-11-30'],
  },
  {
    query: 'month=2026-01',
    days: ['2026-01-01', '2026-01-31'],
    before: ['2025-12-01', '2025-12-31'],
  },
  {
    query: 'month=2026-02',
    days: ['2026-02-01', '2026-02-10'],
    before: ['2026-01-01', '2026-01-10'],
  },
);
const PERIODS = fc.oneof(LAST_DAYS, RANGES, MONTHS);

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

/** Identities that a reader can check with the answer alone, on the printed texts. */
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
      fc.asyncProperty(told, PERIODS, async ({ history, events }, { query, days: [from, to], before }) => {
        await billing.forget();
        await billing.publish(...events);
        const answer = await reporting.answer<SubscriptionsView>(`subscriptions?${query}&compare=previous`);
        const [first] = await reporting.database.dataSource.query<[{ day: string | null }]>(
          `SELECT min(day)::text AS day FROM (
             SELECT day FROM subscription_versions WHERE movement IS NOT NULL
             UNION ALL SELECT (paid_at AT TIME ZONE 'UTC')::date FROM invoices
             UNION ALL SELECT (occurred_at AT TIME ZONE 'UTC')::date FROM invoice_adjustments
           ) days`,
        );
        const isFirst = first.day === null || before[0] < first.day;
        const side = (days: Days, untilMs = Infinity) => ({
          days: daysBetween(...days) + 1,
          from: days[0],
          to: days[1],
          ...expected(countedSubscriptions(history, ...days, untilMs)),
        });
        const [runs, endMs] = [to === dayBefore(0), noon.getTime()];
        const earlierMs = endMs - daysBetween(before[1], to) * DAY_MS;

        expect(answer).toMatchObject({
          ...side([from, to]),
          standing: countedStanding(history, noon),
          previous: isFirst
            ? null
            : {
                ...side(before, runs ? earlierMs : Infinity),
                compared: side([from, to], runs ? endMs : Infinity),
              },
        });
        expectToAddUp(answer);
        if (!isFirst) expectToAddUp(answer.previous!);
        expect(answer.points.map(({ date }) => date)).toHaveLength(daysBetween(from, to) + 1);
        for (const { date, mrr } of answer.points) {
          expect([date, mrr.usd_exact]).toEqual([date, exact(countedSubscriptions(history, date, date).mrr.end)]);
        }

        const sumOfPlans = answer.plans.reduce((sum, { mrr }) => sum + micros(mrr), 0n);
        expect(exact(sumOfPlans)).toBe(answer.mrr.end.usd_exact);
        const shown = answer.plans.filter(({ subscribers }) => subscribers > 0);
        expect(
          new Map(shown.map(({ code, subscribers, mrr }) => [String(code), { subscribers, micros: micros(mrr) }])),
        ).toEqual(countedPlans(history, to));
        expect(await audit(reporting.database.dataSource)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  },
  RUNS * 3_000 + 30_000,
);

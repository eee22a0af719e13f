import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';
import type { CohortsView } from './read-cohorts';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const wallet = (digit: string) => `0x${digit.repeat(40)}`;
const paid = (digit: string, at: string, amountMicros = 50_000) =>
  aPayment({ wallet: wallet(digit), verifiedAt: new Date(`${at}Z`), amountMicros });

it('follows the wallets of a month to the present one', async () => {
  const open = aPayment({ wallet: wallet('e'), states: ['settlement_pending'] });
  const payments = [
    paid('a', '2025-12-31T23:59:59.999'),
    paid('a', '2026-01-01T00:00:00.000', 30_000),
    paid('a', '2026-02-10T00:00:00.000'),
    paid('b', '2025-12-01T00:00:00.000'),
    paid('b', '2025-12-02T00:00:00.000'),
    paid('c', '2025-12-15T00:00:00.000'),
    paid('c', '2026-02-01T00:00:00.000', 100_000),
    paid('d', '2026-02-01T00:00:00.000', 80_000),
    // Published last, but paid before all of this: its wallet belongs to an older month.
    paid('d', '2025-11-30T23:59:59.999', 80_000),
  ];
  await reporting.publish(...publishedOf([...payments, open]));
  const { currency, months, from, to, cohorts } = await reporting.answer<CohortsView>('cohorts?months=4');
  expect([currency, months, from, to]).toEqual(['USD', 4, '2025-11', '2026-02']);
  const rows = cohorts.map(({ month, wallets, gross_revenue, months: followed }) => [
    [month, wallets, gross_revenue.usd_exact],
    ...followed.map((row) => [
      row.month,
      row.active_wallets,
      row.retention_pct,
      row.paid_calls,
      row.gross_revenue.usd_exact,
    ]),
  ]);
  expect(rows).toEqual([
    [
      ['2025-11', 1, '0.160000'],
      ['2025-11', 1, 100, 1, '0.080000'],
      ['2025-12', 0, 0, 0, '0.000000'],
      ['2026-01', 0, 0, 0, '0.000000'],
      ['2026-02', 1, 100, 1, '0.080000'],
    ],
    [
      ['2025-12', 3, '0.380000'],
      ['2025-12', 3, 100, 4, '0.200000'],
      ['2026-01', 1, 33.33, 1, '0.030000'],
      ['2026-02', 2, 66.67, 2, '0.150000'],
    ],
    [
      ['2026-01', 0, '0.000000'],
      ['2026-01', 0, 0, 0, '0.000000'],
      ['2026-02', 0, 0, 0, '0.000000'],
    ],
    [
      ['2026-02', 0, '0.000000'],
      ['2026-02', 0, 0, 0, '0.000000'],
    ],
  ]);
});

it('leaves out older wallets when fewer months are asked for', async () => {
  const { cohorts } = await reporting.answer<CohortsView>('cohorts?months=2');
  expect(cohorts.map(({ month, wallets }) => [month, wallets])).toEqual([
    ['2026-01', 0],
    ['2026-02', 0],
  ]);
});

it.each([
  ['from=2025-12-31&to=2026-01-01', ['2025-12', '2026-01'], 3],
  ['month=2025-11', ['2025-11'], 4],
  ['month=2026-02', ['2026-02'], 1],
  ['from=2026-02-10&to=2026-02-10', ['2026-02'], 1],
] as const)('%s are the cohorts of %j, each followed to the present month', async (query, names, first) => {
  const { cohorts, months, from, to } = await reporting.answer<CohortsView>(`cohorts?${query}`);
  expect([months, from, to]).toEqual([names.length, names[0], names.at(-1)]);
  expect(cohorts.map(({ month }) => month)).toEqual(names);
  expect(cohorts.map((cohort) => cohort.months.length)).toEqual(names.map((_, index) => first - index));
  expect(cohorts.every((cohort) => cohort.months.at(-1)!.month === '2026-02')).toBe(true);
});

it('moves a wallet with all its months when an earlier payment comes late', async () => {
  const december = async () => {
    const { cohorts } = await reporting.answer<CohortsView>('cohorts?from=2025-12-01&to=2026-01-31');
    return cohorts.map(({ month, wallets, months }) => [month, wallets, ...months.map((row) => row.active_wallets)]);
  };
  const once = [paid('f', '2026-01-31T23:59:59.999'), paid('f', '2026-02-01T00:00:00.000')];
  await reporting.publish(...publishedOf(once));
  expect(await december()).toEqual([
    ['2025-12', 3, 3, 1, 2],
    ['2026-01', 1, 1, 1],
  ]);
  await reporting.publish(...publishedOf([paid('f', '2025-12-31T23:59:59.999')]));
  expect(await december()).toEqual([
    ['2025-12', 4, 4, 2, 3],
    ['2026-01', 0, 0, 0],
  ]);
});

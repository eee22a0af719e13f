import {
  aChange,
  anAdjustment,
  anInvoice,
  ANN,
  publishedOf as billed,
} from '../../projection/subscriptions/subscription-history.fixture';
import { exact } from '../counted.fixture';
import { Reporting } from '../reporting.fixture';
import { aCredit, aPayment, publishedOf } from '../story.fixture';
import type { StatementView } from './read-statement';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
  await reporting.publish(...publishedOf(PAYMENTS, CREDITS), ...billed(PEOPLE));
});
afterAll(() => reporting.close());

const at = (text: string) => new Date(`${text}Z`);
const MINUTE_MS = 60_000;

/** January, with what crosses its beginning and its end. */
const PAYMENTS = [
  aPayment({ verifiedAt: at('2025-12-31T23:59:30'), endsAfterMs: MINUTE_MS, amountMicros: 30_000 }),
  aPayment({ verifiedAt: at('2026-01-10T10:00:00'), endsAfterMs: 800 }),
  aPayment({ verifiedAt: at('2026-01-10T11:00:00'), endsAfterMs: 800, endpoint: '/agent/v1/habits/plan' }),
  aPayment({ verifiedAt: at('2026-01-20T10:00:00'), endsAfterMs: 800, states: ['settlement_failed'] }),
  aPayment({ verifiedAt: at('2026-01-20T11:00:00'), endsAfterMs: 800, states: ['settlement_failed'], served: false }),
  aPayment({ verifiedAt: at('2026-01-31T23:59:30'), endsAfterMs: MINUTE_MS, amountMicros: 80_000 }),
];
const CREDITS = [
  aCredit({ issuedAt: at('2025-12-30T00:00:00'), expiresAt: at('2026-01-15T00:00:00') }),
  aCredit({ issuedAt: at('2025-12-30T00:00:00'), redeemedAt: at('2026-01-05T00:00:00') }),
  aCredit({ issuedAt: at('2026-01-06T00:00:00') }),
  aCredit({ issuedAt: at('2026-01-07T00:00:00'), redeemedAt: at('2026-02-03T00:00:00') }),
];
const PEOPLE = {
  changes: [aChange(ANN, 1, '2026-01-03T09:00:00.000Z', [{}])],
  invoices: [anInvoice({ paidAt: '2026-01-03T09:00:00.000Z' })],
  adjustments: [
    anAdjustment({
      kind: 'refund',
      adjustmentId: 're_1',
      amountMicros: 990_000,
      occurredAt: '2026-01-09T09:00:00.000Z',
    }),
    anAdjustment({
      kind: 'dispute',
      adjustmentId: 'dp_1',
      amountMicros: 7_000_000,
      occurredAt: '2026-02-04T09:00:00.000Z',
    }),
  ],
};

type Line = Record<string, string>;

const micros = (text: string) => BigInt(text.replace('.', ''));
const sum = (lines: Line[], name: string) => exact(lines.reduce((total, line) => total + micros(line[name]!), 0n));
const statement = (query = '') => reporting.answer<StatementView>(`statement?month=2026-01${query}`);

it('of a month is what its three files add up to', async () => {
  const { calls, credits, subscriptions, closed, basis } = await statement();
  const [payments, creditLines, invoices] = await Promise.all([
    reporting.file('payments.csv?month=2026-01&basis=settlement'),
    reporting.file('credits.csv?month=2026-01'),
    reporting.file('invoices.csv?month=2026-01'),
  ]);
  const settled = payments.filter(({ status }) => status === 'settled');
  const of = (lines: Line[], kind: string) => lines.filter((line) => line['kind'] === kind);
  const redeemed = of(creditLines, 'redeemed');
  expect([closed, basis]).toEqual([true, 'settlement']);
  expect(calls).toMatchObject({
    paid_calls: settled.length,
    credit_calls: redeemed.length,
    gross_revenue: { usd_exact: sum(settled, 'amount_usd') },
    attributed_cost: { usd_exact: sum([...payments, ...redeemed], 'attributed_cost') },
  });
  for (const { endpoint, gross_revenue, paid_calls } of calls.endpoints) {
    const own = settled.filter((line) => line['endpoint'] === endpoint);
    expect([endpoint, gross_revenue.usd_exact, paid_calls]).toEqual([endpoint, sum(own, 'amount_usd'), own.length]);
  }
  for (const kind of ['issued', 'redeemed', 'expired'] as const) {
    expect([kind, credits[kind].face_value.usd_exact]).toEqual([kind, sum(of(creditLines, kind), 'face_value_usd')]);
  }
  expect(credits.rebate_redeemed.usd_exact).toBe(sum(redeemed, 'price_usd'));
  expect(subscriptions.invoices).toMatchObject({
    gross: { usd_exact: sum(of(invoices, 'paid'), 'amount_usd') },
    refunded: { usd_exact: sum(of(invoices, 'refund'), 'amount_usd') },
    disputed: { usd_exact: sum(of(invoices, 'dispute'), 'amount_usd') },
  });
  expect([calls.gross_revenue.usd_exact, subscriptions.invoices.refunded.usd_exact]).toEqual(['0.130000', '0.990000']);
});

it('adds up by itself: margin, credits owed, MRR, and endpoints', async () => {
  for (const query of ['', '&basis=call']) {
    const { calls, credits, subscriptions } = await statement(query);
    const value = ({ usd_exact }: { usd_exact: string }) => micros(usd_exact);
    expect(value(calls.gross_revenue) - value(calls.attributed_cost)).toBe(value(calls.net_margin));
    expect(calls.endpoints.reduce((total, { gross_revenue }) => total + value(gross_revenue), 0n)).toBe(
      value(calls.gross_revenue),
    );
    const [opening, issued, redeemed, expired, closing] = [
      credits.opening,
      credits.issued,
      credits.redeemed,
      credits.expired,
      credits.closing,
    ].map(({ face_value }) => value(face_value)) as [bigint, bigint, bigint, bigint, bigint];
    expect(opening + issued - redeemed - expired).toBe(closing);
    expect([credits.opening.credits, credits.closing.credits]).toEqual([2, 2]);
    const { start, new: added, end } = subscriptions.mrr;
    expect(value(start) + value(added)).toBe(value(end));
  }
});

it('names what was corrected since, of calls and of invoices', async () => {
  const { corrected_since: since } = await statement();
  expect(since).toMatchObject({
    calls: { paid_calls: 1, gross_revenue: { usd_exact: '0.080000' } },
    invoices: { refunded: { usd_exact: '0.000000' }, disputed: { usd_exact: '7.000000' } },
  });
  expect((await statement('&basis=call')).calls.gross_revenue.usd_exact).toBe('0.180000');
});

it('is a file with a line for each figure', async () => {
  const { calls, credits } = await statement();
  const lines = await reporting.file('statement.csv?month=2026-01');
  const find = (section: string, item: string) =>
    lines.find((line) => line['section'] === section && line['item'] === item)!;
  expect(find('calls', 'gross_revenue')['amount_usd']).toBe(calls.gross_revenue.usd_exact);
  expect(find('credits', 'closing')).toMatchObject({
    month: '2026-01',
    count: '2',
    amount_usd: credits.closing.face_value.usd_exact,
  });
});

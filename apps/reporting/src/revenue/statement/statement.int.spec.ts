import {
  aChange,
  anAdjustment,
  anInvoice,
  ANN,
  publishedOf as billed,
} from '../../projection/subscriptions/subscription-history.fixture';
import { micros } from '../counted.fixture';
import { Reporting } from '../reporting.fixture';
import { aCredit, aPayment, publishedOf } from '../story.fixture';
import type { StatementView } from './read-statement';

const reporting = Reporting.forSuite();
beforeAll(async () => {
  await reporting.publish(...publishedOf(PAYMENTS, CREDITS), ...billed(PEOPLE));
});

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
    anAdjustment({ amountMicros: 990_000, occurredAt: '2026-01-09T09:00:00.000Z' }),
    anAdjustment({ kind: 'dispute', amountMicros: 7_000_000, occurredAt: '2026-02-04T09:00:00.000Z' }),
  ],
};

const statement = (query = '') => reporting.answer<StatementView>(`statement?month=2026-01${query}`);
const money = (usd_exact: string) => ({ usd_exact });

it.each(['settlement', 'call'])('of a month adds up by itself and to the file of invoices, by %s', async (basis) => {
  const { calls, credits, subscriptions, corrected_since: since } = await statement(`&basis=${basis}`);
  expect(subscriptions).toMatchObject({
    mrr: { start: money('0.000000'), new: money('7.990000'), end: money('7.990000') },
    invoices: { gross: money('7.990000'), refunded: money('0.990000'), disputed: money('0.000000') },
  });
  const lines = await reporting.file('invoices.csv?month=2026-01');
  expect(lines.map(({ kind, amount_usd }) => [kind, amount_usd])).toEqual([
    ['refund', '0.990000'],
    ['paid', '7.990000'],
  ]);
  const value = ({ usd_exact }: { usd_exact: string }) => micros(usd_exact);
  expect(value(calls.gross_revenue) - value(calls.attributed_cost)).toBe(value(calls.net_margin));
  const ofEndpoints = calls.endpoints.reduce((total, { gross_revenue }) => total + value(gross_revenue), 0);
  expect(ofEndpoints).toBe(value(calls.gross_revenue));
  const face = (name: 'opening' | 'issued' | 'redeemed' | 'expired' | 'closing') => value(credits[name].face_value);
  expect(face('opening') + face('issued') - face('redeemed') - face('expired')).toBe(face('closing'));
  expect([credits.opening.credits, credits.closing.credits]).toEqual([2, 2]);
  expect(calls.gross_revenue).toMatchObject(money(basis === 'call' ? '0.180000' : '0.130000'));
  expect(since).toMatchObject({
    calls: { paid_calls: 1, gross_revenue: money('0.080000') },
    invoices: { refunded: money('0.000000'), disputed: money('7.000000') },
  });
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

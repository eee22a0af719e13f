import { audit, type Offence } from '@evenkeel/ops/audit';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { aCredit, aPayment, publishedOf } from '../revenue/story.fixture';
import { ProjectLedger } from './project-ledger.consumer';
import { envelopeOf, reportingDatabase } from './projection.fixture';
import { ProjectSubscriptions } from './subscriptions/project-subscriptions.consumer';
import {
  aChange,
  anAdjustment,
  anInvoice,
  ANN,
  publishedOf as billed,
} from './subscriptions/subscription-history.fixture';

const day = (number: number) => `2026-01-0${number}T10:00:00.000Z`;
const changes = [aChange(ANN, 1, day(1), [{}]), aChange(ANN, 2, day(2), [{ recurringMicros: 9 }])];

let database: TestDatabase;
beforeAll(async () => {
  database = await reportingDatabase();
  const payment = aPayment({ tier: 'tier_1', rebateMicros: 2_500 });
  const credit = aCredit({ issuedAt: payment.verifiedAt, redeemedAt: payment.verifiedAt });
  const ofPeople = billed({ changes, invoices: [anInvoice()], adjustments: [anAdjustment()] });
  const envelopes = [publishedOf([payment], [credit]), ofPeople].map((events) =>
    events.map((event) => envelopeOf(event)),
  );
  await database.dataSource.transaction(async (tx) => {
    await new ProjectLedger().handleAll(envelopes[0]!, tx);
    await new ProjectSubscriptions().handleAll(envelopes[1]!, tx);
  });
}, 30_000);
afterAll(() => database.drop());

const query = (sql: string) => database.dataSource.query<unknown>(sql);

async function foundAfter(spoil: string): Promise<Offence[]> {
  const runner = database.dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(spoil);
    return await audit(runner.manager);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

it('finds nothing in a projection of events', async () => {
  expect(await audit(database.dataSource)).toEqual([]);
  expect(
    await query('SELECT day::text, start_micros, movements_micros, end_micros FROM audit.mrr ORDER BY day'),
  ).toEqual([
    { day: '2026-01-01', start_micros: '0', movements_micros: '7990000', end_micros: '7990000' },
    { day: '2026-01-02', start_micros: '7990000', movements_micros: '-7989991', end_micros: '9' },
  ]);
});

it.each([
  ['daily_totals', 'UPDATE daily_totals SET gross_micros = gross_micros + 1'],
  ['daily_totals', 'UPDATE daily_totals SET settled_calls = settled_calls + 1'],
  ['wallet_days', 'UPDATE wallet_days SET gross_micros = 0 WHERE paid_calls > 0'],
  ['wallet_days', 'UPDATE wallet_days SET settled_calls = settled_calls + 1'],
  ['wallet_days', 'DELETE FROM wallet_days'],
  ['wallet_months', 'UPDATE wallet_months SET gross_micros = 0'],
  ['wallet_months', 'DELETE FROM wallet_months'],
  ['wallet_totals', 'UPDATE wallet_totals SET lifetime_micros = 0'],
  ['wallet_totals', 'UPDATE wallet_totals SET credits_issued = 2'],
  ['subscription_versions', `UPDATE subscription_versions SET movement = 'churn' WHERE version = 2`],
  ['subscription_versions', `UPDATE subscription_versions SET has_paid = false`],
])('shows where %s differ from their rows: %s', async (rollup, spoil) => {
  const found = await foundAfter(spoil);
  expect(new Set(found.map(({ promise }) => promise))).toEqual(new Set(['P5']));
  expect(found.map(({ row }) => (row as { rollup: string }).rollup)).toContain(rollup);
});

it('shows movements that do not lead from day to day', async () => {
  const found = await foundAfter('UPDATE subscription_versions SET movement_micros = movement_micros + 1');
  expect(found.map(({ what }) => what)).toContain('movements do not lead from the MRR of one day to that of the next');
});

it('shows a payment that is there twice', async () => {
  // The key holds the time, so it cannot tell.
  const spoil = `
    INSERT INTO payments (id, wallet, endpoint, amount_micros, chain_id, asset, status, verified_at, served,
      attributed_cost_micros, request_id)
    SELECT id, wallet, endpoint, amount_micros, chain_id, asset, 'settlement_pending', verified_at + interval '1 hour',
      false, 0, request_id FROM payments`;
  const found = (await foundAfter(spoil)).map(({ what }) => what);
  expect(found).toContain('a payment is in the copy of the ledger more than once');
});

it('refuses writes through a view', async () => {
  for (const view of [
    'payments',
    'credits',
    'inbox',
    'parked',
    'positions',
    'rollups',
    'mrr',
    'subscription_rollups',
  ]) {
    await expect(query(`DELETE FROM audit.${view}`)).rejects.toThrow('cannot delete from view');
  }
});

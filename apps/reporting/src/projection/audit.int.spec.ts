import { audit } from '@evenkeel/ops/audit';
import type { Offence, TestDatabase } from '@evenkeel/platform/testing';
import { aCredit, aPayment, publishedOf } from '../revenue/story.fixture';
import { ProjectLedger } from './project-ledger.consumer';
import { envelopeOf, reportingDatabase } from './projection.fixture';

let database: TestDatabase;
beforeAll(async () => (database = await reportingDatabase()), 30_000);
afterAll(() => database.drop());

const query = (sql: string) => database.dataSource.query<unknown>(sql);

beforeAll(async () => {
  const payment = aPayment({ tier: 'tier_1', rebateMicros: 2_500 });
  const credit = aCredit({ issuedAt: payment.verifiedAt, redeemedAt: payment.verifiedAt });
  const events = publishedOf([payment], [credit]).map((event) => envelopeOf(event));
  await database.dataSource.transaction((tx) => new ProjectLedger().handleAll(events, tx));
});

/** The findings of the audit after a manual change. */
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
});

it.each([
  ['daily_totals', 'UPDATE daily_totals SET gross_micros = gross_micros + 1'],
  ['daily_totals', 'UPDATE daily_totals SET settled_calls = settled_calls + 1'],
  ['wallet_days', 'UPDATE wallet_days SET gross_micros = 0 WHERE paid_calls > 0'],
  ['wallet_days', 'UPDATE wallet_days SET settled_calls = settled_calls + 1'],
  ['wallet_days', 'DELETE FROM wallet_days'],
  ['wallet_totals', 'UPDATE wallet_totals SET lifetime_micros = 0'],
  ['wallet_totals', 'UPDATE wallet_totals SET credits_issued = 2'],
])('shows where %s differ from their rows', async (rollup, spoil) => {
  const found = await foundAfter(spoil);
  expect(new Set(found.map(({ promise }) => promise))).toEqual(new Set(['P5']));
  expect(found.map(({ row }) => (row as { rollup: string }).rollup)).toContain(rollup);
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
  for (const view of ['payments', 'credits', 'inbox', 'parked', 'positions', 'rollups']) {
    await expect(query(`DELETE FROM audit.${view}`)).rejects.toThrow('cannot delete from view');
  }
});

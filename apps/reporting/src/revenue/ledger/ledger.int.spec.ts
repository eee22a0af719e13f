import { Reporting } from '../reporting.fixture';
import { CohortsQuery } from '../revenue-query';
import { aCredit, aPayment, publishedOf, WALLET } from '../story.fixture';
import { readCohorts } from './read-cohorts';
import type { CreditsView } from './read-credits';
import type { CustomersView } from './read-customers';
import type { ReconciliationView } from './read-reconciliation';

const reporting = Reporting.forSuite();
beforeEach(() => reporting.forget());

const customers = (query = '') => reporting.answer<CustomersView>(`customers${query}`);
const reconciliation = (query = '') => reporting.answer<ReconciliationView>(`reconciliation${query}`);
const on = (day: string) => new Date(`2026-02-${day}T10:00:00.000Z`);

it('customers take the cursor of the same order alone', async () => {
  await reporting.publish(...publishedOf(['d', 'c'].map((digit) => aPayment({ wallet: `0x${digit.repeat(40)}` }))));
  const { next_cursor: cursor } = await customers('?limit=1&sort=paid_calls');
  const other = await reporting.read(`customers?sort=last_payment&cursor=${cursor}`);
  expect([other.status, other.body.details]).toMatchObject([
    400,
    { issues: [{ path: '/cursor', code: 'bad_format' }] },
  ]);
});

it('nothing is owed for a credit from the instant at which it expires', async () => {
  const clocks = ['11:59:59.999', '12:00:00.000', '12:00:00.001'];
  const expiring = clocks.map((clock) => aCredit({ expiresAt: new Date(`2026-02-10T${clock}Z`) }));
  const redeemed = aCredit({ expiresAt: on('09'), redeemedAt: on('08') });
  await reporting.publish(...publishedOf([], [...expiring, redeemed]));
  const { expired, closing } = await reporting.answer<CreditsView>('credits?days=1');
  expect([expired.credits, closing.credits]).toEqual([2, 1]);
  const { credits_expired, liability } = (await customers()).rebates;
  expect([credits_expired, liability.usd_exact]).toEqual([2, '0.100000']);
});

it('a cohort has the wallets of the last day of its month, whatever the zone of the database', async () => {
  const paid = aPayment({ verifiedAt: new Date('2025-12-31T23:30:00.000Z'), endsAfterMs: 1_000 });
  await reporting.publish(...publishedOf([paid]));
  const { cohorts } = await reporting.database.dataSource.transaction(async (tx) => {
    await tx.query(`SET LOCAL timezone TO 'America/New_York'`);
    return readCohorts(tx, reporting.clock.now(), Object.assign(new CohortsQuery(), { month: '2025-12' }));
  });
  expect(cohorts).toMatchObject([{ month: '2025-12', wallets: 1 }]);
});

describe('the reconciliation', () => {
  it('lists what a person may have to look at', async () => {
    const pending = aPayment({ states: ['settlement_pending'], verifiedAt: on('09'), amountMicros: 100_000 });
    const uncertain = aPayment({ states: ['needs_reconciliation'], verifiedAt: on('07'), served: false });
    const youngUncertain = aPayment({ states: ['needs_reconciliation'], verifiedAt: on('10') });
    const given = [on('05'), on('06')].map((verifiedAt) => aPayment({ states: ['settlement_failed'], verifiedAt }));
    const refused = aPayment({ states: ['settlement_failed'], served: false });
    const noHash = aPayment({ verifiedAt: on('08') });
    const [settled] = publishedOf([noHash]);
    await reporting.publish(...publishedOf([pending, uncertain, youngUncertain, ...given, refused, aPayment()]), {
      ...settled!,
      data: { ...settled!.data, transactionHash: null },
    });

    expect(await reconciliation()).toMatchObject({
      limit: 25,
      unresolved: {
        count: 3,
        has_more: false,
        amount: { usd: 0.2, usd_exact: '0.200000' },
        oldest_verified_at: on('07').toISOString(),
        statuses: {
          settlement_pending: { count: 1, oldest_verified_at: on('09').toISOString() },
          needs_reconciliation: { count: 2, oldest_verified_at: on('07').toISOString() },
        },
        payments: [
          { id: uncertain.id, status: 'needs_reconciliation', served: false, reason: null },
          { id: pending.id, status: 'settlement_pending', served: true },
          { id: youngUncertain.id },
        ],
      },
      settled_without_hash: { count: 1, payments: [{ id: noHash.id, transaction_hash: null, status: 'settled' }] },
      served_and_failed: {
        count: 2,
        amount: { usd: 0.1, usd_exact: '0.100000' },
        payments: [
          { id: given[1]!.id, served: true, reason: 'refused' },
          { id: given[0]!.id, status: 'settlement_failed' },
        ],
      },
    });
    const { unresolved, served_and_failed } = await reconciliation('?limit=1');
    expect([unresolved.count, unresolved.payments.length]).toEqual([3, 1]);
    expect([served_and_failed.count, served_and_failed.payments.length]).toEqual([2, 1]);
  });

  it('counts and sums the oldest 10,000 of both statuses, and each status alone', async () => {
    const { dataSource } = reporting.database;
    await dataSource.query(`SELECT add_payments_month('2026-02-01T00:00:00Z')`);
    // The n-th oldest is n micro-USD.
    await dataSource.query(
      `INSERT INTO payments (id, wallet, endpoint, amount_micros, chain_id, asset, status, verified_at, served,
         attributed_cost_micros, request_id)
       SELECT gen_random_uuid(), $1, '/', n, 8453, $1,
         CASE n % 2 WHEN 1 THEN 'settlement_pending' ELSE 'needs_reconciliation' END,
         timestamptz '2026-02-10T00:00:00Z' + n * interval '1 millisecond', false, 400, 'r'
       FROM generate_series(1, 10001) AS n`,
      [WALLET],
    );
    const oldest = { count: 10_000, amount: { usd_exact: '50.005000' } };
    expect((await reconciliation()).unresolved).toMatchObject({
      ...oldest,
      has_more: true,
      statuses: {
        settlement_pending: { count: 5_001, has_more: false, amount: { usd_exact: '25.010001' } },
        needs_reconciliation: { count: 5_000, has_more: false, amount: { usd_exact: '25.005000' } },
      },
    });
    await dataSource.query('DELETE FROM payments WHERE amount_micros = 10001');
    expect((await reconciliation()).unresolved).toMatchObject({ ...oldest, has_more: false });
  });
});

import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf, WALLET } from '../story.fixture';
import type { ReconciliationView } from './read-reconciliation';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());

const reconciliation = (query = '') => reporting.answer<ReconciliationView>(`reconciliation${query}`);
const on = (day: string) => new Date(`2026-02-${day}T10:00:00.000Z`);

describe('GET reconciliation', () => {
  it('has empty groups when all payments are settled', async () => {
    await reporting.publish(...publishedOf([aPayment(), aPayment({ states: ['settlement_failed'], served: false })]));
    const nothing = {
      count: 0,
      has_more: false,
      amount: { usd: 0, usd_exact: '0.000000' },
      oldest_verified_at: null,
      payments: [],
    };
    const { unresolved, settled_without_hash, served_and_failed } = await reconciliation();
    expect(unresolved).toMatchObject(nothing);
    expect(settled_without_hash).toEqual(nothing);
    expect(served_and_failed).toEqual(nothing);
  });

  it('lists what a person may have to look at', async () => {
    const pending = aPayment({ states: ['settlement_pending'], verifiedAt: on('09'), amountMicros: 100_000 });
    const uncertain = aPayment({ states: ['needs_reconciliation'], verifiedAt: on('07'), served: false });
    const youngUncertain = aPayment({ states: ['needs_reconciliation'], verifiedAt: on('10') });
    const given = [on('05'), on('06')].map((verifiedAt) => aPayment({ states: ['settlement_failed'], verifiedAt }));
    const noHash = aPayment({ verifiedAt: on('08') });
    const [settled] = publishedOf([noHash]);
    await reporting.publish(...publishedOf([pending, uncertain, youngUncertain, ...given]), {
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
  });

  it('counts all of them, and lists as many as the limit', async () => {
    const { unresolved, served_and_failed } = await reconciliation('?limit=1');
    expect([unresolved.count, unresolved.payments.length]).toEqual([3, 1]);
    expect([served_and_failed.count, served_and_failed.payments.length]).toEqual([2, 1]);
  });

  /** The n-th oldest of so many is n micro-USD. */
  async function insertOpen(payments: number, status: string): Promise<void> {
    const { dataSource } = reporting.database;
    await reporting.forget();
    await dataSource.query(`SELECT add_payments_month('2026-02-01')`);
    await dataSource.query(
      `INSERT INTO payments (id, wallet, endpoint, amount_micros, chain_id, asset, status, verified_at, served,
         attributed_cost_micros, request_id)
       SELECT gen_random_uuid(), $1, '/', n, 8453, $1, ${status},
         timestamptz '2026-02-10T00:00:00Z' + n * interval '1 millisecond', false, 400, 'r'
       FROM generate_series(1, ${payments}) AS n`,
      [WALLET],
    );
  }

  it('sums exactly the rows that it counts: the oldest 10,000', async () => {
    await insertOpen(10_001, `'settlement_pending'`);
    const { unresolved } = await reconciliation();
    expect(unresolved).toMatchObject({ count: 10_000, has_more: true, amount: { usd_exact: '50.005000' } });
    await reporting.database.dataSource.query('DELETE FROM payments WHERE amount_micros = 10001');
    const { count, has_more, amount } = (await reconciliation()).unresolved;
    expect({ count, has_more, amount }).toEqual({ count: 10_000, has_more: false, amount: unresolved.amount });
  });

  it('counts the oldest 10,000 of both statuses, and each status alone', async () => {
    await insertOpen(12_000, `CASE n % 2 WHEN 1 THEN 'settlement_pending' ELSE 'needs_reconciliation' END`);
    expect((await reconciliation()).unresolved).toMatchObject({
      ...{ count: 10_000, has_more: true, amount: { usd_exact: '50.005000' } },
      statuses: {
        settlement_pending: { count: 6_000, has_more: false, amount: { usd_exact: '36.000000' } },
        needs_reconciliation: { count: 6_000, has_more: false, amount: { usd_exact: '36.006000' } },
      },
    });
  });
});

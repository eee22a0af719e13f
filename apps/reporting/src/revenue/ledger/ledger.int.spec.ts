import { Reporting } from '../reporting.fixture';
import { aCredit, aPayment, publishedOf, WALLET } from '../story.fixture';
import type { CreditsView } from './read-credits';
import type { CustomersView } from './read-customers';
import type { ReconciliationView } from './read-reconciliation';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const customers = (query = '') => reporting.answer<CustomersView>(`customers${query}`);
const reconciliation = (query = '') => reporting.answer<ReconciliationView>(`reconciliation${query}`);
const on = (day: string) => new Date(`2026-02-${day}T10:00:00.000Z`);
const MINUTE_MS = 60_000;

describe('GET customers', () => {
  it('is the worked example of the specification, in its order', async () => {
    const start = Date.parse('2025-11-03T09:00:00.000Z');
    const calls = Array.from({ length: 681 }, (_, index) =>
      aPayment({
        verifiedAt: new Date(start + index * MINUTE_MS),
        // The 200th reaches 10 USD: from there on 5 % of each comes back.
        ...(index >= 199 && { tier: 'tier_1', rebateMicros: 2_500 }),
      }),
    );
    const credits = Array.from({ length: 16 }, (_, index) =>
      aCredit({ redeemedAt: index < 9 ? new Date('2026-02-02T00:00:00.000Z') : null }),
    );
    await reporting.publish(...publishedOf(calls, credits));

    const { text } = await reporting.read('customers');
    expect(text.slice(0, text.indexOf('"sort"'))).toBe(
      '{"limit":25,"count":1,"customers":[{"rank":1,"wallet":"0x857b06519E91e3A54538791bDbb0E22373e36b66","tier":"tier_1",' +
        '"lifetime_spend":{"usd":34.05,"usd_exact":"34.050000"},"paid_calls":681,"credit_calls":9,' +
        '"first_payment_at":"2025-11-03T09:00:00.000Z","last_payment_at":"2025-11-03T20:20:00.000Z",' +
        '"rebate_accrued":{"usd":0.06,"usd_exact":"0.055000"},"rebate_issued":{"usd":1.6,"usd_exact":"1.600000"},' +
        '"credits":{"issued":16,"redeemed":9,"outstanding":7}}],' +
        '"tier_distribution":[{"tier":"base","wallets":0},{"tier":"tier_1","wallets":1},{"tier":"tier_2","wallets":0},' +
        '{"tier":"tier_3","wallets":0}],' +
        '"rebates":{"rebate_issued":{"usd":1.6,"usd_exact":"1.600000"},"rebate_redeemed":{"usd":0.45,"usd_exact":"0.450000"},' +
        '"returned_change":{"usd":0.45,"usd_exact":"0.450000"},"credits_issued":16,"credits_redeemed":9,' +
        '"credits_outstanding":7,"outstanding_face_value":{"usd":0.7,"usd_exact":"0.700000"},' +
        '"credits_expired":0,"expired_face_value":{"usd":0,"usd_exact":"0.000000"},' +
        '"liability":{"usd":0.7,"usd_exact":"0.700000"}},',
    );
  });

  it('counts credits, also one whose redemption was published first', async () => {
    const redeemedAt = new Date('2026-02-10T09:00:00.000Z');
    const early = aCredit({ redeemedAt, priceMicros: 80_000, changeMicros: 20_000 });
    await reporting.publish(...publishedOf([aPayment()], [{ ...early, issuedAt: null }]));
    expect((await customers()).rebates).toMatchObject({
      credits_issued: 0,
      credits_redeemed: 1,
      credits_outstanding: -1,
      outstanding_face_value: { usd: -0.1, usd_exact: '-0.100000' },
    });
    await reporting.publish(...publishedOf([], [{ ...early, redeemedAt: null }]));
    expect((await customers()).rebates).toMatchObject({
      credits_outstanding: 0,
      outstanding_face_value: { usd: 0, usd_exact: '0.000000' },
      rebate_redeemed: { usd_exact: '0.080000' },
      returned_change: { usd_exact: '0.020000' },
    });
    expect((await customers()).customers).toMatchObject([
      { wallet: expect.stringMatching(new RegExp(WALLET, 'i')), credits: { issued: 1, redeemed: 1, outstanding: 0 } },
    ]);
  });

  it('sorts equals by address, and takes the cursor of the same order alone', async () => {
    const equals = ['d', 'c'].map((digit) => aPayment({ wallet: `0x${digit.repeat(40)}` }));
    await reporting.publish(...publishedOf(equals));
    const { customers: all } = await customers();
    expect(all.map(({ wallet }) => wallet.toLowerCase())).toEqual(equals.map(({ wallet }) => wallet).sort());
    const { next_cursor: cursor, sort } = await customers('?limit=1&sort=paid_calls');
    expect(sort).toBe('paid_calls');
    const other = await reporting.read(`customers?sort=last_payment&cursor=${cursor}`);
    expect([other.status, other.body.details]).toMatchObject([
      400,
      { issues: [{ path: '/cursor', code: 'bad_format' }] },
    ]);
  });
});

describe('GET credits', () => {
  it('rolls the liability forward, day by day', async () => {
    const credits = [
      aCredit({ issuedAt: on('01'), redeemedAt: on('09') }),
      aCredit({ issuedAt: on('01') }),
      aCredit({ issuedAt: on('09') }),
      aCredit({
        issuedAt: on('10'),
        redeemedAt: on('10'),
        priceMicros: 30_000,
        changeMicros: 70_000,
      }),
    ];
    await reporting.publish(...publishedOf([], credits));
    const flow = (count: number, usd_exact: string) => ({
      credits: count,
      face_value: { usd: Number(usd_exact), usd_exact },
    });
    const { text } = await reporting.read('credits?days=2');
    expect(JSON.parse(text)).toMatchObject({
      currency: 'USD',
      days: 2,
      from: '2026-02-09',
      to: '2026-02-10',
      opening: flow(2, '0.200000'),
      issued: flow(2, '0.200000'),
      redeemed: flow(2, '0.200000'),
      expired: flow(0, '0.000000'),
      closing: flow(2, '0.200000'),
      rebate_redeemed: { usd_exact: '0.080000' },
      returned_change: { usd_exact: '0.120000' },
      points: [
        {
          date: '2026-02-09',
          issued: flow(1, '0.100000'),
          redeemed: flow(1, '0.100000'),
          closing: flow(2, '0.200000'),
        },
        {
          date: '2026-02-10',
          issued: flow(1, '0.100000'),
          redeemed: flow(1, '0.100000'),
          closing: flow(2, '0.200000'),
        },
      ],
    });
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      ...['currency', 'days', 'from', 'to', 'opening', 'issued', 'redeemed', 'expired', 'closing'],
      ...['rebate_redeemed', 'returned_change', 'points', 'as_of', 'lag_seconds'],
    ]);
  });

  it('owes nothing for a credit from the instant at which it expires', async () => {
    const clocks = ['11:59:59.999', '12:00:00.000', '12:00:00.001'];
    const expiring = clocks.map((clock) => aCredit({ expiresAt: new Date(`2026-02-10T${clock}Z`) }));
    const redeemed = aCredit({ expiresAt: on('09'), redeemedAt: on('08') });
    await reporting.publish(...publishedOf([], [...expiring, redeemed]));
    const { expired, closing } = await reporting.answer<CreditsView>('credits?days=1');
    expect([expired.credits, closing.credits]).toEqual([2, 1]);
    const { credits_expired, liability } = (await customers()).rebates;
    expect([credits_expired, liability.usd_exact]).toEqual([2, '0.100000']);
  });
});

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
    const { unresolved, served_and_failed } = await reconciliation('?limit=1');
    expect([unresolved.count, unresolved.payments.length]).toEqual([3, 1]);
    expect([served_and_failed.count, served_and_failed.payments.length]).toEqual([2, 1]);
  });

  /** The n-th oldest of so many is n micro-USD. */
  async function insertOpen(payments: number, status: string): Promise<void> {
    const { dataSource } = reporting.database;
    await reporting.forget();
    await dataSource.query(`SELECT add_payments_month('2026-02-01T00:00:00Z')`);
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
      count: 10_000,
      has_more: true,
      amount: { usd_exact: '50.005000' },
      statuses: {
        settlement_pending: { count: 6_000, has_more: false, amount: { usd_exact: '36.000000' } },
        needs_reconciliation: { count: 6_000, has_more: false, amount: { usd_exact: '36.006000' } },
      },
    });
  });
});

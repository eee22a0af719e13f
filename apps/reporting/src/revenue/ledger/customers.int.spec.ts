import { aCredit, aPayment, publishedOf, WALLET } from '../story.fixture';
import { Reporting } from '../reporting.fixture';
import type { CustomersView } from './read-customers';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const customers = (query = '') => reporting.answer<CustomersView>(`customers${query}`);
const wallet = (digit: string) => `0x${digit.repeat(40)}`;
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
    expect(text.slice(0, text.indexOf('"as_of"'))).toBe(
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
        '"credits_expired":0,"expired_face_value":{"usd":0,"usd_exact":"0.000000"}},',
    );
  });

  it('ranks by lifetime spend, then by first payment, then by address', async () => {
    const at = (hour: string) => new Date(`2026-02-09T${hour}:00:00.000Z`);
    await reporting.publish(
      ...publishedOf([
        aPayment({ wallet: wallet('d'), verifiedAt: at('08') }),
        aPayment({ wallet: wallet('c'), verifiedAt: at('08') }),
        aPayment({ wallet: wallet('b'), verifiedAt: at('07') }),
        aPayment({ wallet: wallet('a'), verifiedAt: at('09'), amountMicros: 100_000, tier: 'tier_2' }),
        aPayment({ wallet: wallet('e'), states: ['settlement_pending'], amountMicros: 900_000 }),
      ]),
    );
    const all = await customers();
    const ranking = all.customers.map(({ rank, wallet: of }) => [rank, of.toLowerCase()]);
    expect(ranking).toEqual(['a', 'b', 'c', 'd'].map((digit, index) => [index + 1, wallet(digit)]));
    expect(all.tier_distribution.map(({ wallets }) => wallets)).toEqual([3, 0, 1, 0]);
    const two = await customers('?limit=2');
    expect([two.count, two.customers.length, two.tier_distribution]).toEqual([2, 2, all.tier_distribution]);
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

  it('lists who paid on the days that are asked for, with what they spent on them', async () => {
    const on = (day: string) => new Date(`${day}T23:59:59.999Z`);
    await reporting.publish(
      ...publishedOf([
        aPayment({ wallet: wallet('a'), verifiedAt: on('2026-01-05'), amountMicros: 900_000 }),
        aPayment({ wallet: wallet('b'), verifiedAt: on('2026-01-31'), amountMicros: 30_000 }),
        aPayment({ wallet: wallet('b'), verifiedAt: on('2026-02-01'), amountMicros: 50_000 }),
        aPayment({
          wallet: wallet('b'),
          verifiedAt: on('2026-02-02'),
          amountMicros: 50_000,
          states: ['settlement_pending'],
        }),
        aPayment({ wallet: wallet('c'), verifiedAt: on('2026-02-03') }),
      ]),
    );
    const listed = async (query: string) => {
      const { window, customers: found } = await customers(`?${query}`);
      return [window, ...found.map((row) => [row.rank, row.wallet.toLowerCase(), row.window])];
    };
    const spent = (paid_calls: number, usd_exact: string) => ({
      spend: expect.objectContaining({ usd_exact }),
      paid_calls,
    });
    expect(await listed('from=2026-01-31&to=2026-02-02')).toEqual([
      { days: 3, from: '2026-01-31', to: '2026-02-02' },
      [1, wallet('b'), spent(2, '0.080000')],
    ]);
    expect(await listed('month=2026-01')).toMatchObject([
      { days: 31 },
      [1, wallet('a'), spent(1, '0.900000')],
      [2, wallet('b'), spent(1, '0.030000')],
    ]);
    expect(await listed('days=8')).toMatchObject([{ from: '2026-02-03' }, [1, wallet('c'), spent(1, '0.050000')]]);
    expect((await listed('limit=3'))[0]).toBeUndefined();
  });

  it('says what of the outstanding credits has expired', async () => {
    const [past, later] = [new Date('2026-02-10T11:59:59.999Z'), new Date('2026-02-10T12:00:00.001Z')];
    await reporting.publish(
      ...publishedOf(
        [aPayment()],
        [
          aCredit({ expiresAt: new Date('2026-02-09T00:00:00.000Z') }),
          aCredit({ expiresAt: past }),
          aCredit({ expiresAt: later }),
          aCredit({ expiresAt: past, redeemedAt: new Date('2026-02-09T00:00:00.000Z') }),
          aCredit(),
        ],
      ),
    );
    expect((await customers()).rebates).toMatchObject({
      ...{ credits_issued: 5, credits_redeemed: 1, credits_outstanding: 4, credits_expired: 2 },
      expired_face_value: { usd_exact: '0.200000' },
    });
  });
});

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
      outstanding_face_value: { usd_exact: '0.400000' },
      liability: { usd_exact: '0.200000' },
    });
  });
});

describe('the order of customers', () => {
  const on = (day: string, hour = '10') => new Date(`${day}T${hour}:00:00.000Z`);
  /** All of them, a page after the other. */
  async function walked(query: string, limit: number): Promise<[rank: number, wallet: string][]> {
    const found: [number, string][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: CustomersView = await customers(`?limit=${limit}&${query}${cursor && `&cursor=${cursor}`}`);
      found.push(...page.customers.map(({ rank, wallet: of }): [number, string] => [rank, of.toLowerCase()]));
      cursor = page.next_cursor;
    }
    return found;
  }
  const ranked = (digits: string) => [...digits].map((digit, index) => [index + 1, wallet(digit)]);

  beforeEach(async () => {
    const paid = (digit: string, day: string, amountMicros: number, hour?: string) =>
      aPayment({ wallet: wallet(digit), verifiedAt: on(day, hour), amountMicros });
    await reporting.publish(
      ...publishedOf([
        ...[paid('a', '2026-01-01', 900_000), paid('a', '2026-02-10', 10_000, '09')],
        ...['01', '02', '03'].map((hour) => paid('b', '2026-02-09', 30_000, hour)),
        ...[paid('c', '2026-02-08', 90_000), paid('d', '2026-02-08', 90_000), paid('e', '2026-02-08', 90_000)],
        paid('f', '2026-01-15', 500_000),
      ]),
    );
  });

  it.each([
    ['sort=lifetime_spend', 'afcdeb'],
    ['', 'afcdeb'],
    ['sort=paid_calls', 'bafcde'],
    ['sort=last_payment', 'abcdef'],
    ['sort=window_spend&days=3', 'cdeba'],
    ['sort=window_spend&month=2026-01', 'af'],
    ['sort=window_spend&from=2026-01-15&to=2026-02-10', 'fcdeba'],
    ['sort=lifetime_spend&days=3', 'acdeb'],
    ['sort=paid_calls&days=3', 'bacde'],
    ['sort=last_payment&from=2026-01-01&to=2026-02-08', 'acdef'],
    ['sort=last_payment&days=1', 'a'],
    ['sort=window_spend&from=2026-01-02&to=2026-01-03', ''],
  ])('%s is %s, in pages of any size', async (query, digits) => {
    for (const limit of [1, 2, 200]) expect([limit, await walked(query, limit)]).toEqual([limit, ranked(digits)]);
  });

  it.each([
    ['days', '2026-01-05', '2026-01-20', 'from=2026-01-19&to=2026-01-21'],
    ['a month', '2026-01-05', '2026-01-20', 'from=2026-01-16&to=2026-01-24'],
    ['a day of one month and many of the next', '2025-11-05', '2025-11-30', 'from=2025-11-30&to=2025-12-10'],
  ])('finds who spent most in a window of %s among many who spent more beside it', async (_, beside, day, window) => {
    const names = Array.from({ length: 30 }, (_name, index) => `0x${String(index).padStart(40, '7')}`);
    const payments = names.flatMap((name, index) => [
      aPayment({ wallet: name, verifiedAt: on(beside), amountMicros: 10_000 * (30 - index) }),
      aPayment({ wallet: name, verifiedAt: on(day), amountMicros: 10 + index }),
    ]);
    await reporting.publish(...publishedOf(payments));
    const found = await walked(`sort=window_spend&${window}`, 1);
    expect(found.map(([, name]) => name)).toEqual([...names].reverse());
  });

  it('finds who spent most in a window and on none of its days', async () => {
    const days = ['2026-01-17', '2026-01-18', '2026-01-19'];
    const payments = days.flatMap((day, place) => [
      ...['1', '2', '3', '4', '5', '6'].map((digit) =>
        aPayment({ wallet: `${wallet(digit).slice(0, -1)}${place}`, verifiedAt: on(day), amountMicros: 200_000 }),
      ),
      aPayment({ wallet: wallet('b'), verifiedAt: on(day), amountMicros: 150_000 }),
    ]);
    await reporting.publish(...publishedOf(payments));
    const [first] = await walked('sort=window_spend&from=2026-01-17&to=2026-01-19', 1);
    expect(first).toEqual([1, wallet('b')]);
  });

  it('is one that the cursor was made for', async () => {
    const { next_cursor: cursor, sort } = await customers('?limit=1&sort=paid_calls');
    expect(sort).toBe('paid_calls');
    const other = await reporting.read(`customers?sort=last_payment&cursor=${cursor}`);
    expect([other.status, other.body.details]).toMatchObject([
      400,
      { issues: [{ path: '/cursor', code: 'bad_format' }] },
    ]);
  });
});

describe('the change of customers', () => {
  const at = (instant: string) => new Date(`${instant}:00.000Z`);
  const side = (paid_calls: number, usd_exact: string) => ({
    spend: expect.objectContaining({ usd_exact }),
    paid_calls,
  });

  beforeEach(async () => {
    const paid = (digit: string, instant: string, amountMicros: number, endsAfterMs = 0) =>
      aPayment({ wallet: wallet(digit), verifiedAt: at(instant), amountMicros, endsAfterMs });
    await reporting.publish(
      ...publishedOf([
        paid('a', '2025-12-31T23:59', 900_000),
        paid('a', '2026-02-03T11:59', 30_000),
        paid('a', '2026-02-03T12:00', 40_000),
        paid('a', '2026-02-10T09:00', 80_000),
        paid('b', '2026-02-02T09:00', 50_000),
        paid('b', '2026-02-10T09:00', 20_000),
        // Called yesterday, and settled today.
        paid('c', '2026-02-09T23:59', 60_000, 120_000),
        { ...paid('a', '2026-02-03T11:00', 7), states: ['settlement_pending' as const] },
      ]),
    );
  });

  it('is that of today with the same weekday of the week before, up to the same time', async () => {
    const { customers: rows, previous } = await customers('?days=1&compare=previous');
    expect(previous).toEqual({
      ...{ days: 1, from: '2026-02-03', to: '2026-02-03', until: '2026-02-03T12:00:00.000Z' },
      compared: { days: 1, from: '2026-02-10', to: '2026-02-10', until: '2026-02-10T12:00:00.000Z' },
    });
    expect(rows.map(({ change }) => change)).toEqual([
      { before: side(1, '0.030000'), compared: side(1, '0.080000'), spend: { usd: 0.05, usd_exact: '0.050000' } },
      { before: side(0, '0.000000'), compared: side(1, '0.020000'), spend: { usd: 0.02, usd_exact: '0.020000' } },
    ]);
  });

  it('names who spent less than before, the greatest fall first, also who did not pay any more', async () => {
    const { customers: rows } = await customers('?days=2&compare=previous&sort=window_fall');
    expect(rows.map(({ wallet: who, change }) => [who.toLowerCase(), change])).toEqual([
      [
        wallet('b'),
        { before: side(1, '0.050000'), compared: side(1, '0.020000'), spend: { usd: -0.03, usd_exact: '-0.030000' } },
      ],
    ]);
    const gone = await customers('?from=2026-02-09&to=2026-02-09&compare=previous&sort=window_fall');
    expect(gone.customers.map(({ wallet: who, change }) => [who.toLowerCase(), change?.compared.paid_calls])).toEqual([
      [wallet('b'), 0],
    ]);
  });

  it('is on the day of the settlement when that is asked for', async () => {
    const spendOf = async (basis: string) =>
      (await customers(`?days=1&basis=${basis}`)).customers.map(({ wallet: who, window }) => [
        ...[who.toLowerCase(), window?.spend.usd_exact],
      ]);
    expect(await spendOf('call')).toHaveLength(2);
    expect(await spendOf('settlement')).toContainEqual([wallet('c'), '0.060000']);
  });

  it('is nothing where the days before begin before the first payment, and without being asked for', async () => {
    const early = await customers('?month=2026-01&compare=previous');
    expect(early).toMatchObject({ previous: null, count: 0 });
    const { customers: rows, previous } = await customers('?month=2026-02&compare=previous');
    expect([previous?.from, rows.map(({ change }) => change?.before.paid_calls)]).toEqual(['2026-01-01', [0, 0, 0]]);
    const plain = await customers('?days=2');
    expect([plain.previous, plain.customers[0]!.change]).toEqual([undefined, undefined]);
  });
});

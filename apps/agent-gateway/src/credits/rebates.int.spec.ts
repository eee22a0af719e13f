import { CreditIssued, PAID_ENDPOINTS, PaymentSettled } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { Buyer } from '../buyer.fixture';
import { startGateway, type Gateway, type PaidRequest, type Reply } from '../gateway.fixture';
import { RecordSettlements } from '../ledger/record-settlements';
import { settlementResponseIn } from '../payments/payment.fixture';
import { aBuyerWith, balancesOf, difference, eventsOf, rebateOf } from './credit.fixture';

const [analyze, plan] = PAID_ENDPOINTS;

let gateway: Gateway;
beforeAll(async () => {
  // The machine may be busy: what is tested is money, not time.
  const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '30000', TRUSTED_PROXY_HOPS: '1' };
  gateway = await startGateway({ silentAtOnce: true, settings });
});
afterAll(() => gateway.close());

/** On tier 1, one payment of 0.05 USD short of a credit. */
const almostThere = { settledMicros: 20_000_000, accruedMicros: 97_500 };
const balances = (buyer: Buyer) => balancesOf(gateway.ledger.dataSource, buyer.wallet);
const events = (buyer: Buyer) => eventsOf(gateway.ledger.dataSource, buyer.wallet);
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
const digestOf = async (text: string) =>
  `sha-256=:${Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64')}:`;

async function pay(buyer: Buyer, request: PaidRequest & { identifier?: string } = {}): Promise<Reply> {
  const { endpoint = analyze!, identifier } = request;
  const version = identifier === undefined ? 1 : 2;
  return gateway.pay(await buyer.sign({ endpoint, version, identifier }), request);
}

describe('a settled payment', () => {
  it.each([
    ['base', 0, 0],
    ['base, just under 10 USD', 9_949_999, 0],
    ['tier_1 with this payment', 9_950_000, 2_500],
    ['tier_2 with this payment', 99_950_000, 5_000],
    ['tier_3 with this payment', 999_950_000, 7_500],
  ])('accrues the rate of its tier: %s', async (tier, settledMicros, rebateMicros) => {
    const buyer = await aBuyerWith(gateway, { settledMicros });
    expect(rebateOf(await pay(buyer))).toBeUndefined();
    expect(await balances(buyer)).toMatchObject({ accruedMicros: rebateMicros, earnedMicros: rebateMicros, issued: 0 });
    const [event] = await events(buyer);
    expect(event).toMatchObject({ type: 'payment.settled', payload: { tier: tier.split(/[ ,]/)[0], rebateMicros } });
    expect(validateSync(plainToInstance(PaymentSettled, event!.payload))).toEqual([]);
  });

  it('that fills up a credit brings it in its answer', async () => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const reply = await pay(buyer);
    const { rebate_earned: rebate, ...result } = reply.body;
    expect(result).toEqual(analyze!.exampleResult);
    expect(Object.keys(reply.body).at(-1)).toBe('rebate_earned');
    expect(rebate).toEqual({
      credit_token: expect.stringMatching(/^hrc_[A-Za-z0-9_-]{43}$/),
      face_value: { usd: 0.1, usd_exact: '0.100000' },
      redeem_header: 'X-Agent-Credit',
      redeemable_on: PAID_ENDPOINTS.map(({ path }) => path),
      single_use: true,
      expires_at: null,
      tier: 'tier_1',
      rate: 0.05,
      accrued_after: { usd: 0, usd_exact: '0.000000' },
    });
    expect(reply.headers.get('content-digest')).toBe(await digestOf(reply.text));
    expect(settlementResponseIn(reply.headers)).toMatchObject({ status: 'settled' });

    expect(await balances(buyer)).toMatchObject({ accruedMicros: 0, issuedMicros: 100_000, issued: 1, redeemed: 0 });
    const [settled, issued] = await events(buyer);
    expect([settled?.type, issued?.type, settled?.seq, issued?.seq]).toEqual([
      'payment.settled',
      'credit.issued',
      1,
      2,
    ]);
    expect(validateSync(plainToInstance(CreditIssued, issued!.payload))).toEqual([]);
    expect(issued).toMatchObject({
      subject: issued!.payload['creditId'],
      payload: { wallet: buyer.wallet, faceMicros: 100_000, paymentId: settled!.payload['paymentId'], tier: 'tier_1' },
    });
  });

  it('brings one credit at most, and the next answer the next one', async () => {
    const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 250_000 });
    const left = [];
    for (let round = 0; round < 3; round++) left.push(rebateOf(await pay(buyer))?.accrued_after.usd_exact);
    expect(left).toEqual(['0.152500', '0.055000', undefined]);
    expect(await balances(buyer)).toMatchObject({ issued: 2, accruedMicros: 57_500 });
    expect((await events(buyer)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('stores no clear token, and shows none where it could be read', async () => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const token = rebateOf(await pay(buyer))!.credit_token!;
    const secret = token.slice(4);
    const stored = await gateway.ledger.dataSource.query<{ row: string }[]>(
      `SELECT t::text AS row FROM credits t UNION ALL SELECT t::text FROM payment_answers t
       UNION ALL SELECT t::text FROM outbox t UNION ALL SELECT t::text FROM payments t`,
    );
    const hex = Buffer.from(secret).toString('hex');
    for (const { row } of stored) expect([row.includes(secret), row.includes(hex)]).toEqual([false, false]);
  });
});

describe('many at once', () => {
  it('take as many credits as they fill, each its own, whatever the batches', async () => {
    const buyer = await aBuyerWith(gateway, { settledMicros: 99_800_000, accruedMicros: 95_000 });
    const from = (host: number) => ({ 'x-forwarded-for': `198.51.100.${host}` });
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, index) => pay(buyer, { endpoint: plan, headers: from(index % 3) })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    // 0.095 + one at 5 % (0.005) + 23 at 10 % (0.01) = 0.33
    const tokens = replies.flatMap((reply) => rebateOf(reply)?.credit_token ?? []);
    expect([tokens.length, new Set(tokens).size]).toEqual([3, 3]);
    const sums = await balances(buyer);
    expect(sums).toMatchObject({ issued: 3, accruedMicros: 30_000, settledMicros: 102_200_000 });
    expect(difference(sums)).toBe(0);
    expect((await events(buyer)).map(({ seq }) => seq)).toEqual(Array.from({ length: 27 }, (_, index) => index + 1));
  });
});

describe('a payment whose outcome was uncertain', () => {
  it('accrues nothing before it settles, then all of it, and leaves the credit to the next direct answer', async () => {
    const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 97_500 });
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'reset', on: 'settle', count: 1 });
    const open = await gateway.pay(payment);
    expect([open.status, settlementResponseIn(open.headers)?.status, rebateOf(open)]).toEqual([
      200,
      'settlement_pending',
      undefined,
    ]);
    expect(await balances(buyer)).toMatchObject({ accruedMicros: 97_500, settledMicros: 20_000_000 });

    await settleInBackground(payment.nonce);
    expect(await balances(buyer)).toMatchObject({ accruedMicros: 100_000, settledMicros: 20_050_000, issued: 0 });
    expect(rebateOf(await gateway.pay(payment))).toBeUndefined(); // a replay
    expect(rebateOf(await pay(buyer))?.accrued_after.usd_exact).toBe('0.002500');
  });

  it('and that was never answered brings its credit when it is', async () => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
    expect((await gateway.pay(payment)).status).toBe(502);
    await settleInBackground(payment.nonce);

    const key = { headers: { 'idempotency-key': 'k1' } };
    const first = await gateway.pay(payment, key);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    expect(rebateOf(first)?.credit_token).toMatch(/^hrc_/);
    const again = await gateway.pay(payment, key);
    expect([isReplay(again), rebateOf(again)]).toEqual([
      true,
      { ...rebateOf(first), credit_token: null, delivered: true },
    ]);
    expect(await balances(buyer)).toMatchObject({ issued: 1, accruedMicros: 0 });
    expect((await events(buyer)).map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'payment.settlement-pending'],
      [2, 'payment.settled'],
      [3, 'credit.issued'],
    ]);
    expect(validateSync(plainToInstance(CreditIssued, (await events(buyer))[2]!.payload))).toEqual([]);
  });

  it.each([
    ['it has settled meanwhile', settleInBackground],
    ['the repeat settles it', () => Promise.resolve()],
  ])('and never answered, gives no token to who cannot show the key of its first request: %s', async (_, settle) => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const payment = await buyer.sign();
    const key = { headers: { 'idempotency-key': 'k1' } };
    gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
    expect((await gateway.pay(payment, key)).status).toBe(502);
    await settle(payment.nonce);

    const strangers = await gateway.pay(payment);
    expect([strangers.status, rebateOf(strangers)]).toMatchObject([200, { credit_token: null, delivered: true }]);
    expect(strangers.headers.get('content-digest')).toBe(await digestOf(strangers.text));
    const owners = await gateway.pay(payment, key);
    expect([isReplay(owners), rebateOf(owners)?.credit_token]).toEqual([true, expect.stringMatching(/^hrc_/)]);
    expect(await balances(buyer)).toMatchObject({ issued: 1, accruedMicros: 0 });
  });

  /** As the worker does when it finds the transfer on the chain. */
  async function settleInBackground(nonce: string): Promise<void> {
    const payment = await gateway.ledger.payment(nonce);
    const settledAt = gateway.clock.now();
    await gateway.app.get(RecordSettlements).record({ payment, transactionHash: null, settledAt, answer: null });
  }
});

describe('an answer with a credit, again', () => {
  const identifier = 'an-identifier-of-mine';
  const key = (value: string) => ({ 'idempotency-key': value });
  it.each<[string, PaidRequest & { identifier?: string }, PaidRequest, boolean]>([
    ['with the key of the first request', { headers: key('k1') }, { headers: key('k1') }, true],
    ['with another key', { headers: key('k1') }, { headers: key('k2') }, false],
    ['without the key', { headers: key('k1') }, {}, false],
    ['with a key that the first request had not', {}, { headers: key('k1') }, false],
    ['with the payment identifier', { identifier }, {}, true],
  ])('%s', async (_, first, again, showsToken) => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const version = first.identifier === undefined ? 1 : 2;
    const payment = await buyer.sign({ version, identifier: first.identifier });
    const given = await gateway.pay(payment, first);
    const replayed = await gateway.pay(payment, again);
    const rebate = rebateOf(given)!;
    expect(rebate.credit_token).toMatch(/^hrc_/);
    expect([replayed.status, isReplay(replayed)]).toEqual([200, true]);
    expect(rebateOf(replayed)).toEqual(showsToken ? rebate : { ...rebate, credit_token: null, delivered: true });
    expect(replayed.headers.get('content-digest')).toBe(await digestOf(replayed.text));
    expect(await balances(buyer)).toMatchObject({ issued: 1 });
  });

  it('at the same time: one token for those who show the key, one credit in all', async () => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const payment = await buyer.sign();
    gateway.facilitator.control({ mode: 'slow', on: 'verify', ms: 100, count: 1 });
    const first = gateway.pay(payment, { headers: key('k1') });
    await eventually(() => gateway.callsAbout(payment.nonce).verify === 1);
    const copies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => gateway.pay(payment, index % 2 ? { headers: key('k1') } : {})),
    );
    const all = [await first, ...copies];
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect(all.filter((reply) => !isReplay(reply))).toHaveLength(1);
    const tokens = copies.map((copy) => rebateOf(copy)!.credit_token);
    const token = rebateOf(all[0]!)!.credit_token;
    expect(tokens).toEqual(copies.map((_, index) => (index % 2 ? token : null)));
    expect(await balances(buyer)).toMatchObject({ issued: 1 });
  });
});

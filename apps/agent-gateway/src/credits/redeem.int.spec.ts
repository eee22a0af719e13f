import { randomBytes } from 'node:crypto';
import { CreditRedeemed, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Call } from '../calls/call';
import { startGateway, type Gateway, type Reply } from '../gateway.fixture';
import { settlementResponseIn } from '../payments/payment.fixture';
import { aCredit, balancesOf, difference, eventsOf, type HeldCredit, redeem } from './credit.fixture';

const [analyze, , , recommend] = PAID_ENDPOINTS;
const otherBody = { habits: [{ name: 'Read', completion_rate: 0.5, current_streak: 1, best_streak: 4 }] };
const unknownToken = () => `hrc_${randomBytes(32).toString('base64url')}`;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const balances = ({ buyer }: HeldCredit) => balancesOf(gateway.ledger.dataSource, buyer.wallet);
const events = ({ buyer }: HeldCredit) => eventsOf(gateway.ledger.dataSource, buyer.wallet);
const facts = ({ status, body, headers }: Reply) => [status, body.error, headers.get('x-agent-credit-status')];
const redeemed = [200, undefined, 'redeemed'];
const spent = [402, 'credit_spent', 'spent'];
const invalid = [402, 'credit_invalid', 'invalid'];
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

describe('a credit', () => {
  it.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    'pays for %s; what is left of it goes back to its wallet',
    async (path, endpoint) => {
      const credit = await aCredit(gateway);
      const reply = await redeem(gateway, credit.token, { endpoint });
      expect(facts(reply)).toEqual(redeemed);
      expect(reply.body).toEqual(endpoint.exampleResult);
      expect([settlementResponseIn(reply.headers), reply.headers.get('cache-control')]).toEqual([
        null,
        'private, no-store',
      ]);
      expect(reply.headers.get('content-digest')).toMatch(/^sha-256=:/);

      const changeMicros = 100_000 - endpoint.priceMicros;
      const sums = await balances(credit);
      expect(sums).toMatchObject({ changeMicros, accruedMicros: changeMicros, issued: 1, redeemed: 1 });
      expect(difference(sums)).toBe(0);
      // No spend, no rebate.
      expect(sums).toMatchObject({ settledMicros: 20_050_000, earnedMicros: 100_000 });
      const [, issued, event] = await events(credit);
      expect(validateSync(plainToInstance(CreditRedeemed, event!.payload))).toEqual([]);
      expect(event).toMatchObject({
        seq: 3,
        type: 'credit.redeemed',
        subject: issued!.subject,
        payload: {
          wallet: credit.buyer.wallet,
          endpoint: path,
          priceMicros: endpoint.priceMicros,
          changeMicros,
          attributedCostMicros: 400,
        },
      });
      expect(await callsBy(issued!.subject)).toEqual([{ endpoint: path, payment_id: null }]);
    },
  );

  it('earns no credit, however much is accrued; the next payment does', async () => {
    const credit = await aCredit(gateway);
    await gateway.ledger.dataSource.query(
      `UPDATE wallets SET accrued_micros = 200000, earned_micros = earned_micros + 200000 WHERE address = $1`,
      [credit.buyer.wallet],
    );
    expect((await redeem(gateway, credit.token)).body).toEqual(analyze!.exampleResult);
    expect((await gateway.pay(await credit.buyer.sign())).body['rebate_earned']).toMatchObject({ single_use: true });
    expect(difference(await balances(credit))).toBe(0);
  });

  it('pays once: the second use is refused with a fresh offer', async () => {
    const credit = await aCredit(gateway);
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
    const before = await balances(credit);
    const again = await redeem(gateway, credit.token, { endpoint: recommend });
    expect(facts(again)).toEqual(spent);
    expect(again.body).toMatchObject({
      x402Version: 1,
      amount: '30000',
      details: { charged: false, retry: 'pay_again' },
    });
    expect(again.headers.get('payment-required')).not.toBeNull();
    expect(await balances(credit)).toEqual(before);
  });

  it.each([
    ['unknown', unknownToken()],
    ['of another form', 'hrc_x'],
    ['very long', 'x'.repeat(4_000)],
  ])('that is %s pays nothing', async (_, token) => expect(facts(await redeem(gateway, token))).toEqual(invalid));

  it('is not read from the address', async () => {
    const { token } = await aCredit(gateway);
    const body = JSON.stringify(analyze!.exampleInput);
    const { status } = await gateway.send(`${analyze!.path}?x-agent-credit=${token}`, { method: 'POST', body });
    expect(status).toBe(402);
  });

  it.each([
    ['no JSON', '{', 400],
    ['a body that is not valid', '{"habits":[]}', 400],
    ['another type', 'text', 415],
  ])('is not burnt by %s', async (_, body, status) => {
    const credit = await aCredit(gateway);
    const headers: Record<string, string> = status === 415 ? { 'content-type': 'text/plain' } : {};
    const reply = await redeem(gateway, credit.token, { body, headers });
    expect([reply.status, reply.body.details?.charged]).toEqual([status, false]);
    expect((await balances(credit)).redeemed).toBe(0);
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
  });

  it('is not burnt by work that fails', async () => {
    const credit = await aCredit(gateway);
    const failing = jest.spyOn(Call.prototype, 'result').mockImplementationOnce(() => {
      throw new Error('a defect');
    });
    expect(facts(await redeem(gateway, credit.token))).toEqual([500, 'internal_error', null]);
    failing.mockRestore();
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
  });

  it('is not burnt by a redemption that fails half-way, and the answer says that it is not known', async () => {
    const credit = await aCredit(gateway);
    const { dataSource } = gateway.ledger;
    await dataSource.query(`ALTER TABLE outbox ADD CONSTRAINT no_credits CHECK (type <> 'credit.redeemed') NOT VALID`);
    const reply = await redeem(gateway, credit.token).finally(() =>
      dataSource.query(`ALTER TABLE outbox DROP CONSTRAINT no_credits`),
    );
    expect(facts(reply)).toEqual([502, 'settlement_unknown', null]);
    expect(reply.body.details).toEqual({ charged: null, retry: 'retry_same' });
    expect(reply.headers.get('retry-after')).toBe('5');
    expect(await balances(credit)).toMatchObject({ redeemed: 0, accruedMicros: 0 });
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
  });
});

describe('a credit that comes with a payment', () => {
  it.each<[string, () => Promise<string>, string]>([
    ['is spent on another call', async () => spentToken(), 'spent'],
    ['is unknown', async () => unknownToken(), 'invalid'],
  ])('and %s leaves it to the payment, and says so', async (_, tokenOf, status) => {
    const token = await tokenOf();
    const payment = await gateway.aBuyer().sign();
    const reply = await redeem(gateway, token, { headers: { 'x-payment': payment.header } });
    expect(facts(reply)).toEqual([200, undefined, status]);
    expect(settlementResponseIn(reply.headers)).toMatchObject({ status: 'settled' });
    expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', served: true });
  });

  it('and neither is good: the reason of the payment', async () => {
    const reply = await redeem(gateway, await spentToken(), { headers: { 'x-payment': 'bm9uc2Vuc2U=' } });
    expect(facts(reply)).toEqual([402, 'invalid_payment_payload', 'spent']);
    const unverified = await gateway.aBuyer().sign({ authorization: { from: gateway.aBuyer().wallet } });
    const other = await redeem(gateway, unknownToken(), { headers: { 'payment-signature': unverified.header } });
    expect(facts(other)).toEqual([402, 'payment_rejected', 'invalid']);
  });
});

describe('the answer to a credit, lost and asked for again', () => {
  it.each<[string, object, object]>([
    ['another key', key('k1'), key('k2')],
    ['no key the second time', key('k1'), {}],
    ['no key the first time', {}, key('k1')],
    ['no key at all', {}, {}],
    ['another body', key('k1'), { ...key('k1'), body: otherBody }],
    ['another endpoint', key('k1'), { ...key('k1'), endpoint: PAID_ENDPOINTS[2] }],
  ])('is not given with %s', async (_, first, again) => {
    const credit = await aCredit(gateway);
    expect(facts(await redeem(gateway, credit.token, first))).toEqual(redeemed);
    expect(facts(await redeem(gateway, credit.token, again))).toEqual(spent);
  });

  it('is gone after the replay time', async () => {
    const credit = await aCredit(gateway);
    await redeem(gateway, credit.token, key('k1'));
    gateway.clock.advanceMs(3_599_000);
    expect(facts(await redeem(gateway, credit.token, key('k1')))).toEqual(redeemed);
    gateway.clock.advanceMs(1_000);
    expect(facts(await redeem(gateway, credit.token, key('k1')))).toEqual(spent);
  });
});

describe('settings', () => {
  it('CREDIT_TTL_DAYS: a credit expires, as its answer said', async () => {
    const brief = await startGateway({ besides: gateway, settings: { CREDIT_TTL_DAYS: '30' } });
    try {
      const credits = [await aCredit(brief), await aCredit(brief)];
      const [row] = await gateway.ledger.dataSource.query<[{ expires_at: Date }]>(
        `SELECT expires_at FROM credits WHERE payer = $1`,
        [credits[0]!.buyer.wallet],
      );
      expect(row.expires_at.getTime() - gateway.clock.now().getTime()).toBe(30 * 86_400_000);
      gateway.clock.advanceMs(30 * 86_400_000 - 1);
      expect(facts(await redeem(brief, credits[0]!.token))).toEqual(redeemed);
      gateway.clock.advanceMs(1);
      expect(facts(await redeem(gateway, credits[1]!.token))).toEqual(invalid);
      expect((await balances(credits[1]!)).redeemed).toBe(0);
    } finally {
      await brief.close();
    }
  });

  it('CREDIT_FACE_MICROS: a credit is worth more, and fills up later', async () => {
    const dear = await startGateway({ besides: gateway, settings: { CREDIT_FACE_MICROS: '150000' } });
    try {
      const buyer = dear.aBuyer();
      await gateway.ledger.dataSource.query(
        `INSERT INTO wallets (address, settled_micros, accrued_micros, earned_micros) VALUES ($1, 20000000, 145000, 145000)`,
        [buyer.wallet],
      );
      expect((await dear.pay(await buyer.sign())).body['rebate_earned']).toBeUndefined();
      expect((await dear.pay(await buyer.sign())).body['rebate_earned']).toMatchObject({
        face_value: { usd_exact: '0.150000' },
        accrued_after: { usd_exact: '0.000000' },
      });
    } finally {
      await dear.close();
    }
  });
});

/** Spent on another call than the example. */
async function spentToken(): Promise<string> {
  const { token } = await aCredit(gateway);
  expect((await redeem(gateway, token, { body: otherBody })).status).toBe(200);
  return token;
}

async function callsBy(creditId: string): Promise<unknown[]> {
  return gateway.ledger.dataSource.query(`SELECT endpoint, payment_id FROM calls WHERE credit_id = $1`, [creditId]);
}

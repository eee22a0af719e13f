import { randomBytes } from 'node:crypto';
import { CreditRedeemed, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Call } from '../calls/call';
import { aGateway, type PaidRequest, type Reply, startGateway } from '../gateway.fixture';
import { otherBody, settlementResponseIn } from '../payments/payment.fixture';
import { aBuyerWith, aCredit, type HeldCredit, redeem } from './credit.fixture';

const [, , insights, recommend] = PAID_ENDPOINTS;
const DAY_MS = 86_400_000;
const unknownToken = () => `hrc_${randomBytes(32).toString('base64url')}`;

const gateway = aGateway();

const balances = ({ buyer }: HeldCredit) => gateway.ledger.balances(buyer.wallet);
const facts = ({ status, body, headers }: Reply) => [status, body.error, headers.get('x-agent-credit-status')];
const redeemed = [200, undefined, 'redeemed'];
const spent = [402, 'credit_spent', 'spent'];
const invalid = [402, 'credit_invalid', 'invalid'];
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

it.each(PAID_ENDPOINTS)('a credit pays for $path; what is left of it goes back to its wallet', async (endpoint) => {
  const { path, priceMicros, exampleResult } = endpoint;
  const credit = await aCredit(gateway);
  const reply = await redeem(gateway, credit.token, { endpoint });
  expect([facts(reply), reply.body, settlementResponseIn(reply.headers)]).toEqual([redeemed, exampleResult, null]);
  expect(reply.headers.get('cache-control')).toBe('private, no-store');
  expect(reply.headers.get('content-digest')).toMatch(/^sha-256=:/);

  const changeMicros = 100_000 - priceMicros;
  // No spend, no rebate.
  const others = { settledMicros: 20_050_000, earnedMicros: 100_000, issued: 1, difference: 0 };
  expect(await balances(credit)).toMatchObject({ changeMicros, accruedMicros: changeMicros, redeemed: 1, ...others });
  const { wallet } = credit.buyer;
  const [, issued, event] = await gateway.ledger.eventsOf(wallet);
  expect(validateSync(plainToInstance(CreditRedeemed, event!.payload))).toEqual([]);
  const payload = { wallet, endpoint: path, priceMicros, changeMicros, attributedCostMicros: 400 };
  expect(event).toMatchObject({ seq: 3, type: 'credit.redeemed', subject: issued!.subject, payload });
  const calls = await gateway.query(`SELECT endpoint, payment_id FROM calls WHERE credit_id = $1`, [issued!.subject]);
  expect(calls).toEqual([{ endpoint: path, payment_id: null }]);
});

it('a credit pays once: the second use is refused with a fresh offer', async () => {
  const credit = await aCredit(gateway);
  expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
  const before = await balances(credit);
  const again = await redeem(gateway, credit.token, { endpoint: recommend });
  expect(facts(again)).toEqual(spent);
  const offer = { x402Version: 1, amount: '30000', details: { charged: false, retry: 'pay_again' } };
  expect(again.body).toMatchObject(offer);
  expect(again.headers.get('payment-required')).not.toBeNull();
  expect(await balances(credit)).toEqual(before);
});

it.each([unknownToken(), 'hrc_x', 'x'.repeat(4_000)])('a credit that is none pays nothing: %.10s', async (token) => {
  expect(facts(await redeem(gateway, token))).toEqual(invalid);
});

describe('a credit is not burnt by', () => {
  const failingWork = async (call: () => Promise<Reply>) => {
    const failing = jest.spyOn(Call.prototype, 'result').mockImplementationOnce(() => {
      throw new Error('a defect');
    });
    return call().finally(() => failing.mockRestore());
  };
  const failingHalfWay = async (call: () => Promise<Reply>) => {
    await gateway.query(`ALTER TABLE outbox ADD CONSTRAINT no_credits CHECK (type <> 'credit.redeemed') NOT VALID`);
    return call().finally(() => gateway.query(`ALTER TABLE outbox DROP CONSTRAINT no_credits`));
  };
  const work = (call: () => Promise<Reply>) => call();

  it.each<[string, PaidRequest, typeof work, number, string, unknown]>([
    ['a body that is not valid', { body: '{"habits":[]}' }, work, 400, 'validation_failed', false],
    ['another type', { headers: { 'content-type': 'text/plain' } }, work, 415, 'unsupported_media_type', false],
    ['work that fails', {}, failingWork, 500, 'internal_error', null],
    ['a redemption that fails half-way', {}, failingHalfWay, 502, 'settlement_unknown', null],
  ])('%s', async (_, request, during, status, error, charged) => {
    const credit = await aCredit(gateway);
    const reply = await during(() => redeem(gateway, credit.token, request));
    expect([facts(reply), reply.body.details?.charged]).toEqual([[status, error, null], charged]);
    if (status === 502) expect(reply.headers.get('retry-after')).toBe('5');
    expect(await balances(credit)).toMatchObject({ redeemed: 0, accruedMicros: 0 });
    expect(facts(await redeem(gateway, credit.token))).toEqual(redeemed);
  });
});

describe('a credit that comes with a payment', () => {
  /** Spent on another call than the example. */
  async function spentToken(): Promise<string> {
    const { token } = await aCredit(gateway);
    expect((await redeem(gateway, token, { body: otherBody })).status).toBe(200);
    return token;
  }

  it.each<[string, () => Promise<string>]>([
    ['spent', spentToken],
    ['invalid', () => Promise.resolve(unknownToken())],
  ])('and is %s leaves it to the payment, and says so', async (status, tokenOf) => {
    const { header, nonce } = await gateway.aBuyer().sign();
    const reply = await redeem(gateway, await tokenOf(), { headers: { 'x-payment': header } });
    expect(facts(reply)).toEqual([200, undefined, status]);
    expect(settlementResponseIn(reply.headers)).toMatchObject({ status: 'settled' });
    expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state: 'settled', served: true });
  });

  it('and neither is good: the reason of the payment', async () => {
    const reply = await redeem(gateway, await spentToken(), { headers: { 'x-payment': 'bm9uc2Vuc2U=' } });
    expect(facts(reply)).toEqual([402, 'invalid_payment_payload', 'spent']);
    const unverified = await gateway.aBuyer().sign({ authorization: { from: gateway.aBuyer().wallet } });
    const other = await redeem(gateway, unknownToken(), { headers: { 'payment-signature': unverified.header } });
    expect(facts(other)).toEqual([402, 'payment_rejected', 'invalid']);
  });
});

describe('the answer to a credit, lost and asked for again,', () => {
  it.each<[string, PaidRequest, Parameters<typeof redeem>[2]]>([
    ['another key', key('k1'), key('k2')],
    ['no key the first time', {}, key('k1')],
    ['another body', key('k1'), { ...key('k1'), body: otherBody }],
    ['another endpoint', key('k1'), { ...key('k1'), endpoint: insights }],
  ])('is not given with %s', async (_, first, again) => {
    const { token } = await aCredit(gateway);
    expect(facts(await redeem(gateway, token, first))).toEqual(redeemed);
    expect(facts(await redeem(gateway, token, again))).toEqual(spent);
  });

  it('is given with its key, and gone after the replay time', async () => {
    const { token } = await aCredit(gateway);
    await redeem(gateway, token, key('k1'));
    gateway.clock.advanceMs(3_599_000);
    expect(facts(await redeem(gateway, token, key('k1')))).toEqual(redeemed);
    gateway.clock.advanceMs(1_000);
    expect(facts(await redeem(gateway, token, key('k1')))).toEqual(spent);
  });
});

it('CREDIT_TTL_DAYS, CREDIT_FACE_MICROS: a credit expires as its answer said, is worth more, and fills up later', async () => {
  const settings = { CREDIT_TTL_DAYS: '30', CREDIT_FACE_MICROS: '150000' };
  const other = await startGateway({ besides: gateway, settings });
  const buyer = await aBuyerWith(other, { settledMicros: 20_000_000, accruedMicros: 145_000 });
  expect((await other.pay(await buyer.sign())).body['rebate_earned']).toBeUndefined();
  const { rebate_earned: rebate } = (await other.pay(await buyer.sign())).body;
  const expiresAt = gateway.clock.now().getTime() + 30 * DAY_MS;
  expect(rebate).toMatchObject({
    face_value: { usd_exact: '0.150000' },
    accrued_after: { usd_exact: '0.000000' },
    expires_at: new Date(expiresAt).toISOString(),
  });
  await other.close();
  const { credit_token: token } = rebate as { credit_token: string };
  gateway.clock.advanceMs(30 * DAY_MS);
  expect(facts(await redeem(gateway, token))).toEqual(invalid);
  expect((await balances({ token, buyer })).redeemed).toBe(0);
  gateway.clock.set(new Date(expiresAt - 1));
  expect(facts(await redeem(gateway, token))).toEqual(redeemed);
});

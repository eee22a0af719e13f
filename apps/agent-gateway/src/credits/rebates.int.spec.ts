import { CreditIssued, PAID_ENDPOINTS, PaymentSettled } from '@evenkeel/contracts';
import { eventually } from '@evenkeel/platform/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { Buyer } from '../buyer.fixture';
import { aGateway, PATIENT, type PaidRequest, type Reply } from '../gateway.fixture';
import { settlementResponseIn } from '../payments/payment.fixture';
import { aBuyerWith, almostThere, rebateOf, settleInBackground } from './credit.fixture';

const [analyze] = PAID_ENDPOINTS;
const gateway = aGateway({ silentAtOnce: true, settings: PATIENT });

const balances = ({ wallet }: Buyer) => gateway.ledger.balances(wallet);
const events = ({ wallet }: Buyer) => gateway.ledger.eventsOf(wallet);
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
const TOKEN = expect.stringMatching(/^hrc_[A-Za-z0-9_-]{43}$/);
const HIDDEN = { credit_token: null, delivered: true };
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

async function expectDigestFits({ headers, text }: Reply): Promise<void> {
  const digest = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64');
  expect(headers.get('content-digest')).toBe(`sha-256=:${digest}:`);
}

/** Its settle was unclear, and nothing was answered. */
async function unanswered(buyer: Buyer, request: PaidRequest = {}) {
  const payment = await buyer.sign();
  gateway.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
  expect((await gateway.pay(payment, request)).status).toBe(502);
  return payment;
}

it('a payment that fills up a credit brings it in its answer; no clear token is stored', async () => {
  const buyer = await aBuyerWith(gateway, almostThere);
  const reply = await gateway.pay(await buyer.sign());
  const { rebate_earned: rebate, ...result } = reply.body;
  expect([result, Object.keys(reply.body).at(-1)]).toEqual([analyze!.exampleResult, 'rebate_earned']);
  expect(rebate).toEqual({
    credit_token: TOKEN,
    face_value: { usd: 0.1, usd_exact: '0.100000' },
    redeem_header: 'X-Agent-Credit',
    redeemable_on: PAID_ENDPOINTS.map(({ path }) => path),
    single_use: true,
    expires_at: null,
    tier: 'tier_1',
    rate: 0.05,
    accrued_after: { usd: 0, usd_exact: '0.000000' },
  });
  await expectDigestFits(reply);
  expect(settlementResponseIn(reply.headers)).toMatchObject({ status: 'settled' });
  expect(await balances(buyer)).toMatchObject({ accruedMicros: 0, issuedMicros: 100_000, issued: 1, redeemed: 0 });
  const [settled, issued] = await events(buyer);
  const { paymentId } = settled!.payload;
  expect(validateSync(plainToInstance(PaymentSettled, settled!.payload))).toEqual([]);
  expect(validateSync(plainToInstance(CreditIssued, issued!.payload))).toEqual([]);
  const payload = { wallet: buyer.wallet, faceMicros: 100_000, paymentId, tier: 'tier_1' };
  expect(issued).toMatchObject({ seq: 2, type: 'credit.issued', subject: issued!.payload['creditId'], payload });

  const secret = rebateOf(reply)!.credit_token!.slice(4);
  const stored = await gateway.query<{ row: string }>(
    `SELECT t::text AS row FROM credits t UNION ALL SELECT t::text FROM payment_answers t
     UNION ALL SELECT t::text FROM outbox t UNION ALL SELECT t::text FROM payments t`,
  );
  for (const form of [secret, Buffer.from(secret).toString('hex')]) {
    expect(stored.filter(({ row }) => row.includes(form))).toEqual([]);
  }
});

describe('a payment that was never answered', () => {
  it('brings its credit when it is', async () => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const { nonce, header } = await unanswered(buyer);
    await settleInBackground(gateway, nonce);
    const first = await gateway.pay(header, key('k1'));
    expect([first.status, isReplay(first), rebateOf(first)]).toMatchObject([200, false, { credit_token: TOKEN }]);
    const again = await gateway.pay(header, key('k1'));
    expect([isReplay(again), rebateOf(again)]).toEqual([true, { ...rebateOf(first), ...HIDDEN }]);
    expect(await balances(buyer)).toMatchObject({ issued: 1, accruedMicros: 0 });
    const own = await events(buyer);
    const types = ['payment.settlement-pending', 'payment.settled', 'credit.issued'];
    expect(own.map(({ seq, type }) => [seq, type])).toEqual(types.map((type, index) => [index + 1, type]));
    expect(validateSync(plainToInstance(CreditIssued, own[2]!.payload))).toEqual([]);
  });

  it.each(['it has settled', 'the repeat settles it'])('gives no token without its first key: %s', async (how) => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const { nonce, header } = await unanswered(buyer, key('k1'));
    if (how === 'it has settled') await settleInBackground(gateway, nonce);
    const strangers = await gateway.pay(header);
    expect([strangers.status, rebateOf(strangers)]).toMatchObject([200, HIDDEN]);
    await expectDigestFits(strangers);
    const owners = await gateway.pay(header, key('k1'));
    expect([isReplay(owners), rebateOf(owners)]).toMatchObject([true, { credit_token: TOKEN }]);
    expect(await balances(buyer)).toMatchObject({ issued: 1, accruedMicros: 0 });
  });
});

describe('an answer with a credit, again,', () => {
  const identifier = 'an-identifier-of-mine';
  it.each<[string, PaidRequest, PaidRequest, string | undefined, boolean]>([
    ['with the key of the first request', key('k1'), key('k1'), undefined, true],
    ['with another key', key('k1'), key('k2'), undefined, false],
    ['with a key that the first request had not', {}, key('k1'), undefined, false],
    ['with the payment identifier', {}, {}, identifier, true],
  ])('%s', async (_, first, again, id, showsToken) => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const payment = await buyer.sign({ version: id === undefined ? 1 : 2, identifier: id });
    const rebate = rebateOf(await gateway.pay(payment, first))!;
    expect(rebate).toMatchObject({ credit_token: TOKEN });
    const replayed = await gateway.pay(payment, again);
    expect([replayed.status, isReplay(replayed)]).toEqual([200, true]);
    expect(rebateOf(replayed)).toEqual(showsToken ? rebate : { ...rebate, ...HIDDEN });
    await expectDigestFits(replayed);
    expect(await balances(buyer)).toMatchObject({ issued: 1 });
  });

  it('at the same time: one token for those who show the key, one credit in all', async () => {
    const buyer = await aBuyerWith(gateway, almostThere);
    const payment = await buyer.sign();
    gateway.control({ mode: 'slow', on: 'verify', ms: 100, count: 1 });
    const first = gateway.pay(payment, key('k1'));
    await eventually(() => gateway.callsAbout(payment.nonce).verify === 1);
    const copies = await Promise.all([1, 2, 3, 4].map((copy) => gateway.pay(payment, copy % 2 ? key('k1') : {})));
    const { credit_token: token } = rebateOf(await first)!;
    expect([isReplay(await first), copies.every(isReplay)]).toEqual([false, true]);
    expect(copies.map((copy) => rebateOf(copy)!.credit_token)).toEqual([token, null, token, null]);
    expect(await balances(buyer)).toMatchObject({ issued: 1 });
  });
});

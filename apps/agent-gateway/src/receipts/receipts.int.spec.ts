import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkReceipt, readReceiptKeys } from '@evenkeel/client';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { es256KeysOf } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import { getAddress } from 'viem';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { aBuyerWith, aCredit, almostThere, rebateOf, redeem } from '../credits/credit.fixture';
import { aGateway, type Reply, startGateway } from '../gateway.fixture';
import { settlementResponseIn, terms } from '../payments/payment.fixture';
import { checkAfter, recoveryByHand, untilPayment } from '../recovery/resolve-uncertain.fixture';
import { type ReceiptClaims, ReceiptSigner } from './answer-receipts';

const [analyze, , , recommend] = PAID_ENDPOINTS;
const secretOf = (kid: string, byte: number) => `${kid}:${Buffer.alloc(32, byte).toString('base64')}`;

const gateway = aGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
/** A replica of it. */
const other = aGateway({ besides: gateway });

const key = { headers: { 'idempotency-key': 'mine' } };
/** Of every receipt here. */
const ofSeller = () => ({
  iss: terms.baseUrl,
  iat: Math.floor(gateway.clock.now().getTime() / 1_000),
  asset: terms.asset,
  network: 'eip155:8453',
  pay_to: terms.payTo,
  engine_version: '1.2.0',
  request_digest: expect.any(String),
  response_digest: expect.any(String),
});

const receiptOf = ({ headers }: Reply) => headers.get('x-evenkeel-receipt');
const keysOf = async (by = gateway) => readReceiptKeys((await by.send('/.well-known/receipt-jwks.json')).text);

/** The claims of a receipt that a published key has signed for this request and the bytes of this answer. */
async function claimsOf(reply: Reply, endpoint = analyze!, by = gateway) {
  const { method, path, exampleInput } = endpoint;
  const expected = { request: { method, path, body: exampleInput }, answer: reply.text };
  const verdict = await checkReceipt(receiptOf(reply)!, await keysOf(by), expected);
  if (!verdict.holds) throw new Error(verdict.problem);
  expect(reply.headers.get('content-digest')).toBe(verdict.claims.response_digest);
  return verdict.claims;
}

/** A copy of an answer that carries the same receipt. */
function expectReplayOf(first: Reply, again: Reply): void {
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect([again.text, receiptOf(again)]).toEqual([first.text, receiptOf(first)]);
}

it.each(PAID_ENDPOINTS)('the receipt of $path says who paid what for which request and bytes', async (endpoint) => {
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign({ endpoint });
  const reply = await gateway.pay(payment, { endpoint });
  const { id } = await gateway.ledger.payment(payment.nonce);
  expect(await claimsOf(reply, endpoint)).toEqual({
    ...ofSeller(),
    jti: id,
    payer: getAddress(buyer.wallet),
    nonce: payment.nonce,
    endpoint: endpoint.path,
    amount_atomic: String(endpoint.priceMicros),
    status: 'settled',
  });
});

it('comes with no other answer', async () => {
  gateway.control({ mode: 'refused', on: 'settle', count: 1 });
  const refused = await gateway.pay(await gateway.aBuyer().sign());
  const invalid = await gateway.pay(await gateway.aBuyer().sign(), { body: { habits: [] } });
  const unpaid = await gateway.send(analyze!.path, { method: 'POST' });
  const replies = [refused, invalid, unpaid].map((reply) => [reply.status, receiptOf(reply)]);
  expect(replies).toEqual([402, 400, 402].map((status) => [status, null]));
});

it('is the same from another replica, and after its key was replaced, which is still published', async () => {
  const payment = await gateway.aBuyer().sign();
  const first = await gateway.pay(payment);
  gateway.clock.advanceMs(5_000);
  for (const one of [gateway, other]) expectReplayOf(first, await one.pay(payment));

  const [{ x, y } = {}] = (await keysOf()).keys;
  const settings = { RECEIPT_KEYS: `${secretOf('next', 4)},test:${x}.${y}` };
  const rotated = await startGateway({ besides: gateway, settings });
  const again = await rotated.pay(payment);
  expectReplayOf(first, again);
  expect(await claimsOf(again, analyze, rotated)).toEqual(await claimsOf(first));
  const next = await rotated.pay(await rotated.aBuyer().sign());
  expect(await claimsOf(next, analyze, rotated)).toMatchObject({ status: 'settled' });
  await expect(claimsOf(next)).rejects.toThrow('unknown_key');
});

it('is that of the time of the answer, when the payment has settled since', async () => {
  const payment = await gateway.aBuyer().sign({ version: 2 });
  gateway.control({ mode: 'reset', on: 'settle', count: 1 });
  const first = await gateway.pay(payment);
  expect(await claimsOf(first)).toMatchObject({ status: 'settlement_pending', nonce: payment.nonce });
  await checkAfter(10_000, payment, gateway);
  await untilPayment(gateway, payment.nonce, { state: 'settled' });
  const again = await gateway.pay(payment);
  expect(settlementResponseIn(again.headers)).toMatchObject({ status: 'settled' });
  expectReplayOf(first, again);
});

it('of a call paid with a credit names the wallet that earned it, and no transfer', async () => {
  const { token, buyer } = await aCredit(gateway);
  const reply = await redeem(gateway, token, { endpoint: recommend, ...key });
  const [row] = await gateway.query<{ id: string }>('SELECT id FROM credits WHERE payer = $1', [buyer.wallet]);
  expect(await claimsOf(reply, recommend)).toEqual({
    ...ofSeller(),
    jti: row!.id,
    payer: getAddress(buyer.wallet),
    nonce: null,
    endpoint: recommend!.path,
    amount_atomic: '30000',
    status: 'redeemed',
  });
  expectReplayOf(reply, await redeem(gateway, token, { endpoint: recommend, ...key }));
});

describe('of an answer that takes a credit along', () => {
  async function creditedCall() {
    const buyer = await aBuyerWith(gateway, almostThere);
    const payment = await buyer.sign();
    const first = await gateway.pay(payment, key);
    expect(rebateOf(first)).toMatchObject({ credit_token: expect.stringMatching(/^hrc_/) });
    const { jti: id } = await claimsOf(first);
    return { payment, first, id };
  }

  it('covers all its bytes; where the token is withheld there is another one, of those bytes and the same purchase', async () => {
    const { payment, first, id } = await creditedCall();
    for (const one of [gateway, other]) expectReplayOf(first, await one.pay(payment, key));
    const [one, two] = [await gateway.pay(payment), await other.pay(payment)];
    expect(rebateOf(one)).toMatchObject({ credit_token: null, delivered: true });
    expect(receiptOf(one)).not.toBe(receiptOf(first));
    expect(receiptOf(two)).toBe(receiptOf(one));
    expect(await claimsOf(one)).toMatchObject({ jti: id, status: 'settled' });
  });

  it('is the one that replicas agree on, when the process died before it was signed', async () => {
    const { payment, id } = await creditedCall();
    await gateway.query('UPDATE payment_answers SET receipt = NULL, delivered_receipt = NULL WHERE payment_id = $1', [
      id,
    ]);
    const release = await gateway.ledger.lock(`SELECT FROM payment_answers WHERE payment_id = '${id}' FOR UPDATE`);
    const repeats = Promise.all([gateway, other, gateway, other].map((one) => one.pay(payment, key)));
    await eventually(async () => expect(await gateway.ledger.waitingForRows()).toBeGreaterThan(1));
    await release();
    const replies = await repeats;
    for (const reply of replies) await claimsOf(reply);
    expect(new Set(replies.map(receiptOf)).size).toBe(1);
    expect(receiptOf(await other.pay(payment, key))).toBe(receiptOf(replies[0]!));
  });

  it('goes out even when it cannot be stored', async () => {
    await gateway.query(
      'ALTER TABLE payment_answers ADD CONSTRAINT no_more CHECK (delivered_receipt IS NULL) NOT VALID',
    );
    const { payment } = await creditedCall();
    await gateway.query('ALTER TABLE payment_answers DROP CONSTRAINT no_more');
    await claimsOf(await gateway.pay(payment, key));
  });
});

it('the keys are published, and nothing that could sign', async () => {
  const settings = { RECEIPT_KEYS: `${secretOf('a', 1)},${secretOf('b', 2)}` };
  const one = await startGateway({ besides: gateway, settings });
  const of = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), use: 'sig', alg: 'ES256' };
  const { text } = await one.send('/.well-known/receipt-jwks.json');
  // As it is published: a reader of keys might pass over a private part.
  expect(JSON.parse(text)).toEqual({ keys: ['a', 'b'].map((kid) => ({ ...of, kid })) });
});

it('the published vectors are of these keys, and written as this code writes them, but for the signature', () => {
  const [present, retired] = [es256KeysOf(secretOf('2026-11', 11)), es256KeysOf(secretOf('2026-10', 10))];
  const file = readFileSync(join(__dirname, '../../../../docs/receipts/vectors.json'), 'utf8');
  const { jwks, receipts } = JSON.parse(file) as { jwks: { keys: object[] }; receipts: { receipt: string }[] };
  expect(jwks.keys).toEqual([...present.published, ...retired.published]);
  const [head, claims] = receipts[0]!.receipt.split('.') as [string, string];
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as ReceiptClaims;
  const again = new ReceiptSigner({ receiptKeys: present } as AgentGatewayConfig).sign(read);
  expect(again.split('.').slice(0, 2)).toEqual([head, claims]);
});

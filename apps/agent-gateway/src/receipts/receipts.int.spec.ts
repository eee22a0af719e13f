import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { es256KeysOf } from '@evenkeel/platform/config';
import { eventually } from '@evenkeel/platform/testing';
import type { QueryRunner } from 'typeorm';
import { getAddress } from 'viem';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import { aBuyerWith, aCredit, rebateOf, redeem } from '../credits/credit.fixture';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { settlementResponseIn, terms } from '../payments/payment.fixture';
import { checkDue, recoveryByHand, untilPayment } from '../recovery/resolve-uncertain.fixture';
import { ReceiptSigner } from './answer-receipts';
import {
  claimsIn,
  claimsOf,
  contentDigest,
  type PublishedKey,
  publishedKeys,
  receiptOf,
  requestDigest,
} from './read-receipt.fixture';

const [analyze, , , recommend] = PAID_ENDPOINTS;
const secretOf = (kid: string, byte: number) => `${kid}:${Buffer.alloc(32, byte).toString('base64')}`;

let gateway: Gateway;
/** A replica of it. */
let other: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
  other = await startGateway({ besides: gateway });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

const key = { headers: { 'idempotency-key': 'mine' } };
/** Of every receipt here. */
const ofSeller = () => ({
  iss: 'https://api.example',
  iat: Math.floor(gateway.clock.now().getTime() / 1_000),
  asset: terms.asset,
  network: 'eip155:8453',
  pay_to: terms.payTo,
  engine_version: '1.2.0',
});

/** A copy of an answer that carries the same receipt. */
function expectReplayOf(first: Reply, again: Reply): void {
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect([again.text, receiptOf(again)]).toEqual([first.text, receiptOf(first)]);
}

async function expectOwn(reply: Reply): Promise<void> {
  const claims = await claimsOf(gateway, reply);
  expect(claims.response_digest).toBe(contentDigest(reply.text));
  expect(reply.headers.get('content-digest')).toBe(claims.response_digest);
}

it.each(PAID_ENDPOINTS)(
  'the receipt of $path says who paid what for which request and got which bytes',
  async (endpoint) => {
    const buyer = gateway.aBuyer();
    const payment = await buyer.sign({ endpoint });
    const reply = await gateway.pay(payment, { endpoint });
    const { id } = await gateway.ledger.payment(payment.nonce);
    expect(await claimsOf(gateway, reply)).toEqual({
      ...ofSeller(),
      jti: id,
      payer: getAddress(buyer.wallet),
      nonce: payment.nonce,
      endpoint: endpoint.path,
      amount_atomic: String(endpoint.priceMicros),
      status: 'settled',
      request_digest: requestDigest(endpoint),
      response_digest: contentDigest(reply.text),
    });
    await expectOwn(reply);
  },
);

it('comes with no other answer', async () => {
  gateway.facilitator.control({ mode: 'refused', on: 'settle', count: 1 });
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

  const [{ x, y } = { x: '', y: '' }] = await publishedKeys(gateway);
  const settings = { RECEIPT_KEYS: `${secretOf('next', 4)},test:${x}.${y}` };
  const rotated = await startGateway({ besides: gateway, settings });
  const again = await rotated.pay(payment);
  expectReplayOf(first, again);
  expect(await claimsOf(rotated, again)).toEqual(await claimsOf(gateway, first));
  const next = await rotated.pay(await rotated.aBuyer().sign());
  expect(await claimsOf(rotated, next)).toMatchObject({ status: 'settled' });
  await expect(claimsOf(gateway, next)).rejects.toThrow('no published key');
  await rotated.close();
});

it('is that of the time of the answer, when the payment has settled since', async () => {
  const payment = await gateway.aBuyer().sign({ version: 2 });
  gateway.facilitator.control({ mode: 'reset', on: 'settle', count: 1 });
  const first = await gateway.pay(payment);
  expect(settlementResponseIn(first.headers)).toMatchObject({ status: 'settlement_pending' });
  expect(await claimsOf(gateway, first)).toMatchObject({ status: 'settlement_pending', nonce: payment.nonce });
  gateway.clock.advanceMs(10_000);
  expect(await checkDue(gateway)).toContain(payment.nonce);
  await untilPayment(gateway, payment.nonce, { state: 'settled' });
  const again = await gateway.pay(payment);
  expect(settlementResponseIn(again.headers)).toMatchObject({ status: 'settled' });
  expectReplayOf(first, again);
});

it('of a call paid with a credit names the wallet that earned it, and no transfer', async () => {
  const { token, buyer } = await aCredit(gateway);
  const reply = await redeem(gateway, token, { endpoint: recommend, ...key });
  const [{ id } = { id: '' }] = await gateway.ledger.dataSource.query<{ id: string }[]>(
    'SELECT id FROM credits WHERE payer = $1',
    [buyer.wallet],
  );
  expect(await claimsOf(gateway, reply)).toEqual({
    ...ofSeller(),
    jti: id,
    payer: getAddress(buyer.wallet),
    nonce: null,
    endpoint: recommend!.path,
    amount_atomic: '30000',
    status: 'redeemed',
    request_digest: requestDigest(recommend!),
    response_digest: contentDigest(reply.text),
  });
  expectReplayOf(reply, await redeem(gateway, token, { endpoint: recommend, ...key }));
});

describe('of an answer that takes a credit along', () => {
  async function creditedCall() {
    const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 97_500 });
    const payment = await buyer.sign();
    const first = await gateway.pay(payment, key);
    expect(rebateOf(first)).toMatchObject({ credit_token: expect.stringMatching(/^hrc_/) });
    await expectOwn(first);
    const { id } = await gateway.ledger.payment(payment.nonce);
    return { payment, first, id };
  }

  it('covers all its bytes; where the token is withheld there is another one, of those bytes and the same purchase', async () => {
    const { payment, first, id } = await creditedCall();
    for (const one of [gateway, other]) expectReplayOf(first, await one.pay(payment, key));
    const [one, two] = [await gateway.pay(payment), await other.pay(payment)];
    expect(rebateOf(one)).toMatchObject({ credit_token: null, delivered: true });
    await expectOwn(one);
    expect(receiptOf(one)).not.toBe(receiptOf(first));
    expect(receiptOf(two)).toBe(receiptOf(one));
    expect(await claimsOf(gateway, one)).toMatchObject({ jti: id, status: 'settled' });
  });

  /** How many statements of other sessions wait for a lock. */
  async function waitForLocks(session: QueryRunner): Promise<number> {
    const waiting = `datname = current_database() AND wait_event_type = 'Lock'`;
    return ((await session.query(`SELECT FROM pg_stat_activity WHERE ${waiting}`)) as unknown[]).length;
  }

  it('is the one that replicas agree on, when the process died before it was signed', async () => {
    const { payment, id } = await creditedCall();
    const { dataSource } = gateway.ledger;
    await dataSource.query(
      `UPDATE payment_answers SET receipt = NULL, delivered_receipt = NULL WHERE payment_id = $1`,
      [id],
    );
    const held = dataSource.createQueryRunner();
    await held.startTransaction();
    await held.query('SELECT FROM payment_answers WHERE payment_id = $1 FOR UPDATE', [id]);
    const repeats = Promise.all([gateway, other, gateway, other].map((one) => one.pay(payment, key)));
    await eventually(async () => expect(await waitForLocks(held)).toBeGreaterThan(1));
    await held.rollbackTransaction();
    await held.release();
    const replies = await repeats;
    for (const reply of replies) await expectOwn(reply);
    expect(new Set(replies.map(receiptOf)).size).toBe(1);
    expect(receiptOf(await other.pay(payment, key))).toBe(receiptOf(replies[0]!));
  });

  it('goes out even when it cannot be stored', async () => {
    const { dataSource } = gateway.ledger;
    await dataSource.query(
      `ALTER TABLE payment_answers ADD CONSTRAINT no_more CHECK (delivered_receipt IS NULL) NOT VALID`,
    );
    const { payment } = await creditedCall().finally(() =>
      dataSource.query(`ALTER TABLE payment_answers DROP CONSTRAINT no_more`),
    );
    await expectOwn(await gateway.pay(payment, key));
  });
});

it('the keys are published, and nothing that could sign', async () => {
  const one = await startGateway({
    besides: gateway,
    settings: { RECEIPT_KEYS: `${secretOf('a', 1)},${secretOf('b', 2)}` },
  });
  const { text } = await one.send('/.well-known/receipt-jwks.json');
  const of = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), use: 'sig', alg: 'ES256' };
  expect(await publishedKeys(one)).toEqual(['a', 'b'].map((kid) => ({ ...of, kid })));
  for (const byte of [1, 2]) expect(text).not.toContain(Buffer.alloc(32, byte).toString('base64url'));
  await one.close();
});

it('the published vectors are of these keys, and written as this code writes them, but for the signature', () => {
  const [present, retired] = [es256KeysOf(secretOf('2026-11', 11)), es256KeysOf(secretOf('2026-10', 10))];
  const file = readFileSync(join(__dirname, '../../../../docs/receipts/vectors.json'), 'utf8');
  const { jwks, receipts } = JSON.parse(file) as { jwks: { keys: PublishedKey[] }; receipts: { receipt: string }[] };
  expect(jwks.keys).toEqual([...present.published, ...retired.published]);
  const { receipt } = receipts[0]!;
  const again = new ReceiptSigner({ receiptKeys: present } as AgentGatewayConfig).sign(claimsIn(receipt, jwks.keys)!);
  expect(again.split('.').slice(0, 2)).toEqual(receipt.split('.').slice(0, 2));
});

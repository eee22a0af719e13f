import { eventually } from '@evenkeel/platform/testing';
import type { QueryRunner } from 'typeorm';
import { aBuyerWith, rebateOf } from '../credits/credit.fixture';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { claimsOf, contentDigest, KEYS_PATH, publishedKeys, receiptOf } from './read-receipt.fixture';

const secrets = [1, 2].map((byte) => Buffer.alloc(32, byte));

let gateway: Gateway;
let other: Gateway;
beforeAll(async () => {
  const [one, two] = secrets.map((secret) => secret.toString('base64'));
  const settings = { RECEIPT_KEYS: `2026-11:${one},2026-10:${two}` };
  gateway = await startGateway({ settings });
  other = await startGateway({ besides: gateway, settings });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

const key = { headers: { 'idempotency-key': 'mine' } };

/** A paid call whose answer takes a credit along. */
async function creditedCall() {
  const buyer = await aBuyerWith(gateway, { settledMicros: 20_000_000, accruedMicros: 97_500 });
  const payment = await buyer.sign();
  const first = await gateway.pay(payment, key);
  expect(rebateOf(first)).toMatchObject({ credit_token: expect.stringMatching(/^hrc_/) });
  const { id } = await gateway.ledger.payment(payment.nonce);
  return { payment, first, id };
}

/** How many statements of other sessions wait for a lock. */
async function waitForLocks(session: QueryRunner): Promise<number> {
  const waiting = `datname = current_database() AND wait_event_type = 'Lock'`;
  const [row] = (await session.query(`SELECT count(*)::integer AS count FROM pg_stat_activity WHERE ${waiting}`)) as [
    { count: number },
  ];
  return row.count;
}

async function expectOwn(reply: Reply): Promise<void> {
  const claims = await claimsOf(gateway, reply);
  expect(claims.response_digest).toBe(contentDigest(reply.text));
  expect(reply.headers.get('content-digest')).toBe(claims.response_digest);
}

describe('an answer with a credit', () => {
  it('has a receipt of all its bytes, and a replay with the key has the same', async () => {
    const { payment, first } = await creditedCall();
    await expectOwn(first);
    for (const one of [gateway, other]) {
      const again = await one.pay(payment, key);
      expect([again.text, receiptOf(again)]).toEqual([first.text, receiptOf(first)]);
    }
  });

  it('has another one where the token is withheld, of those bytes and the same purchase', async () => {
    const { payment, first, id } = await creditedCall();
    const [one, two] = [await gateway.pay(payment), await other.pay(payment)];
    expect(rebateOf(one)).toMatchObject({ credit_token: null, delivered: true });
    await expectOwn(one);
    expect(receiptOf(one)).not.toBe(receiptOf(first));
    expect(receiptOf(two)).toBe(receiptOf(one));
    expect(await claimsOf(gateway, one)).toMatchObject({ jti: id, status: 'settled' });
  });

  it('whose process died before it was signed: replicas that repeat it agree on one', async () => {
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

  it('goes out with its token even when the receipt cannot be stored', async () => {
    const { dataSource } = gateway.ledger;
    await dataSource.query(
      `ALTER TABLE payment_answers ADD CONSTRAINT no_more CHECK (delivered_receipt IS NULL) NOT VALID`,
    );
    const { first, payment } = await creditedCall().finally(() =>
      dataSource.query(`ALTER TABLE payment_answers DROP CONSTRAINT no_more`),
    );
    await expectOwn(first);
    await expectOwn(await gateway.pay(payment, key));
  });
});

describe('the keys of receipts', () => {
  it('are published, and nothing that could sign', async () => {
    const { status, text, headers } = await gateway.send(KEYS_PATH);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const published = {
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      use: 'sig',
      alg: 'ES256',
    };
    expect(await publishedKeys(gateway)).toEqual([
      { ...published, kid: '2026-11' },
      { ...published, kid: '2026-10' },
    ]);
    for (const secret of secrets) expect(text).not.toContain(secret.toString('base64url'));
  });
});

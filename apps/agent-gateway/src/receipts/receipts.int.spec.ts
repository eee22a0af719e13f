import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { es256KeysOf } from '@evenkeel/platform/config';
import { getAddress } from 'viem';
import { aCredit, redeem } from '../credits/credit.fixture';
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

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand });
});
afterAll(() => gateway.close());

const key = { headers: { 'idempotency-key': 'mine' } };
const replayed = ({ status, headers }: Reply) => [status, headers.get('idempotent-replayed')];

describe('the receipt of a paid call', () => {
  it.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    '%s: says who paid what for which request and got which bytes',
    async (path, endpoint) => {
      const buyer = gateway.aBuyer();
      const payment = await buyer.sign({ endpoint });
      const reply = await gateway.pay(payment, { endpoint });
      const { id } = await gateway.ledger.payment(payment.nonce);
      expect(await claimsOf(gateway, reply)).toEqual({
        iss: 'https://api.example',
        iat: gateway.clock.now().getTime() / 1_000,
        jti: id,
        payer: getAddress(buyer.wallet),
        nonce: payment.nonce,
        endpoint: path,
        amount_atomic: String(endpoint.priceMicros),
        asset: terms.asset,
        network: 'eip155:8453',
        pay_to: terms.payTo,
        status: 'settled',
        request_digest: requestDigest(endpoint),
        response_digest: contentDigest(reply.text),
        engine_version: '1.2.0',
      });
      expect(reply.headers.get('content-digest')).toBe(contentDigest(reply.text));
    },
  );

  it('comes with no other answer', async () => {
    gateway.facilitator.control({ mode: 'refused', on: 'settle', count: 1 });
    const refused = await gateway.pay(await gateway.aBuyer().sign());
    const invalid = await gateway.pay(await gateway.aBuyer().sign(), { body: { habits: [] } });
    const unpaid = await gateway.send(analyze!.path, { method: 'POST' });
    expect([refused, invalid, unpaid].map((reply) => [reply.status, receiptOf(reply)])).toEqual([
      [402, null],
      [400, null],
      [402, null],
    ]);
  });
});

describe('a replay carries the same receipt', () => {
  it('from another replica, and after a restart', async () => {
    const payment = await gateway.aBuyer().sign();
    const first = await gateway.pay(payment);
    const later = await startGateway({ besides: gateway });
    gateway.clock.advanceMs(5_000);
    for (const one of [gateway, later]) {
      const again = await one.pay(payment);
      expect([replayed(again), receiptOf(again)]).toEqual([[200, 'true'], receiptOf(first)]);
    }
    await later.close();
  });

  it('signed by a key that has been replaced since, and is still published', async () => {
    const payment = await gateway.aBuyer().sign();
    const first = await gateway.pay(payment);
    const [{ x, y } = { x: '', y: '' }] = await publishedKeys(gateway);
    const settings = { RECEIPT_KEYS: `${secretOf('next', 4)},test:${x}.${y}` };
    const rotated = await startGateway({ besides: gateway, settings });
    const again = await rotated.pay(payment);
    expect([receiptOf(again), await claimsOf(rotated, again)]).toEqual([
      receiptOf(first),
      await claimsOf(gateway, first),
    ]);

    const next = await rotated.pay(await rotated.aBuyer().sign());
    expect(await claimsOf(rotated, next)).toMatchObject({ status: 'settled' });
    await expect(claimsOf(gateway, next)).rejects.toThrow('no published key');
    await rotated.close();
  });

  it('of the time of the answer, when the payment has settled since', async () => {
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
    expect([replayed(again), receiptOf(again)]).toEqual([[200, 'true'], receiptOf(first)]);
  });
});

describe('the receipt of a call paid with a credit', () => {
  it('names the wallet that earned it, and no transfer', async () => {
    const { token, buyer } = await aCredit(gateway);
    const reply = await redeem(gateway, token, { endpoint: recommend });
    expect(await claimsOf(gateway, reply)).toEqual({
      iss: 'https://api.example',
      iat: Math.floor(gateway.clock.now().getTime() / 1_000),
      jti: await creditOf(buyer.wallet),
      payer: getAddress(buyer.wallet),
      nonce: null,
      endpoint: recommend!.path,
      amount_atomic: '30000',
      asset: terms.asset,
      network: 'eip155:8453',
      pay_to: terms.payTo,
      status: 'redeemed',
      request_digest: requestDigest(recommend!),
      response_digest: contentDigest(reply.text),
      engine_version: '1.2.0',
    });
  });

  it('is the same on a replay', async () => {
    const { token } = await aCredit(gateway);
    const first = await redeem(gateway, token, key);
    const again = await redeem(gateway, token, key);
    expect([replayed(again), receiptOf(again)]).toEqual([[200, 'true'], receiptOf(first)]);
    expect(await claimsOf(gateway, again)).toMatchObject({ status: 'redeemed' });
  });

  async function creditOf(wallet: string): Promise<string> {
    const rows = await gateway.ledger.dataSource.query<{ id: string }[]>(`SELECT id FROM credits WHERE payer = $1`, [
      wallet,
    ]);
    return rows[0]!.id;
  }
});

function secretOf(kid: string, byte: number): string {
  return `${kid}:${Buffer.alloc(32, byte).toString('base64')}`;
}

it('the published vectors are of these keys, and written as this code writes them, but for the signature', () => {
  const keysOf = (kid: string, byte: number) => es256KeysOf(`${kid}:${Buffer.alloc(32, byte).toString('base64')}`);
  const [present, retired] = [keysOf('2026-11', 11), keysOf('2026-10', 10)];
  const file = readFileSync(join(__dirname, '../../../../docs/receipts/vectors.json'), 'utf8');
  const { jwks, receipts } = JSON.parse(file) as { jwks: { keys: PublishedKey[] }; receipts: { receipt: string }[] };
  expect(jwks.keys).toEqual([...present.published, ...retired.published]);
  const { receipt } = receipts[0]!;
  const again = new ReceiptSigner(present).sign(claimsIn(receipt, jwks.keys)!);
  expect(again.split('.').slice(0, 2)).toEqual(receipt.split('.').slice(0, 2));
});

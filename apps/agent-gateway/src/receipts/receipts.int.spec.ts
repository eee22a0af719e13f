import { readFileSync } from 'node:fs';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { compactVerify, createLocalJWKSet } from 'jose';
import { getAddress } from 'viem';
import { aCredit, redeem } from '../credits/credit.fixture';
import { type Gateway, type Reply, startGateway } from '../gateway.fixture';
import { callTool, opened } from '../mcp/mcp.fixture';
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
import { type ReceiptVector, type ReceiptVectors, VECTOR_KEYS, VECTORS_FILE } from './receipt-vectors.fixture';

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

  it('is a JWS that a common library takes, and not with a letter changed', async () => {
    const receipt = receiptOf(await gateway.pay(await gateway.aBuyer().sign()))!;
    const keys = createLocalJWKSet({ keys: await publishedKeys(gateway) });
    const { protectedHeader, payload } = await compactVerify(receipt, keys);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'receipt+jwt', kid: 'test' });
    expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ status: 'settled' });
    for (const at of [20, 100, 400, receipt.length - 40]) {
      const forged = `${receipt.slice(0, at)}${receipt[at] === 'A' ? 'B' : 'A'}${receipt.slice(at + 1)}`;
      await expect(compactVerify(forged, keys)).rejects.toThrow();
    }
  });

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

  it('made late for an answer that was stored without one', async () => {
    const payment = await gateway.aBuyer().sign();
    await gateway.pay(payment);
    const { id } = await gateway.ledger.payment(payment.nonce);
    await gateway.ledger.dataSource.query(`UPDATE payment_answers SET receipt = NULL WHERE payment_id = $1`, [id]);
    const [one, two] = [await gateway.pay(payment), await gateway.pay(payment)];
    expect(await claimsOf(gateway, one)).toMatchObject({ jti: id, response_digest: contentDigest(one.text) });
    expect(receiptOf(two)).toBe(receiptOf(one));
  });
});

it('a payment settled but never answered gets its receipt with the answer', async () => {
  const payment = await gateway.aBuyer().sign();
  gateway.facilitator.control({ mode: 'refused', reason: 'unexpected_error', count: 1 });
  const unknown = await gateway.pay(payment);
  expect([unknown.status, receiptOf(unknown)]).toEqual([502, null]);
  const answer = await gateway.pay(payment);
  const claims = await claimsOf(gateway, answer);
  expect(claims).toMatchObject({ status: 'settled', response_digest: contentDigest(answer.text) });
  expect(receiptOf(await gateway.pay(payment))).toBe(receiptOf(answer));
});

it('a tool called over MCP has the receipt of the same call over HTTP', async () => {
  const payment = await gateway.aBuyer().sign({ version: 2 });
  const { content, _meta: meta } = await callTool(gateway, { meta: { 'x402/payment': opened(payment.header) } });
  expect(claimsIn(meta['evenkeel/receipt'] as string, await publishedKeys(gateway))).toMatchObject({
    nonce: payment.nonce,
    endpoint: analyze!.path,
    status: 'settled',
    request_digest: requestDigest(analyze!),
    response_digest: contentDigest(content[0]!.text),
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

describe('the published vectors', () => {
  const { jwks, receipts } = JSON.parse(readFileSync(VECTORS_FILE, 'utf8')) as ReceiptVectors;
  const keys = jwks.keys as unknown as PublishedKey[];
  /** Cases that an ordinary verifier does not get: the documents refuse them before. */
  const wellFormed = receipts
    .filter(({ verdict }) => verdict !== 'malformed')
    .map((vector) => [vector.name, vector] as const);
  const ofSignature = ['bad_signature', 'unknown_key'];

  it('are of the published keys, the retired one too', () => {
    expect(jwks.keys).toEqual([...VECTOR_KEYS.present.published, ...VECTOR_KEYS.retired.published]);
  });

  it.each(wellFormed)('%s: by the documents and Node alone', (_, { receipt, request, answer, verdict }) => {
    expect(verdictOn({ receipt, request, answer })).toBe(verdict);
  });

  it.each(wellFormed)('%s: by jose', async (_, { receipt, verdict }) => {
    const verified = compactVerify(receipt, createLocalJWKSet(jwks as never), { algorithms: ['ES256'] });
    await (ofSignature.includes(verdict)
      ? expect(verified).rejects.toThrow()
      : expect(verified).resolves.toBeDefined());
  });

  it('are written as this code writes them, but for the signature', () => {
    const [{ receipt }] = receipts as [ReceiptVector];
    const again = new ReceiptSigner(VECTOR_KEYS.present).sign(claimsIn(receipt, keys)!);
    expect(again.split('.').slice(0, 2)).toEqual(receipt.split('.').slice(0, 2));
  });

  function verdictOn({ receipt, request, answer }: Omit<ReceiptVector, 'name' | 'verdict'>): string {
    const { kid } = JSON.parse(Buffer.from(receipt.split('.')[0]!, 'base64url').toString()) as { kid: string };
    if (!keys.some((key) => key.kid === kid)) return 'unknown_key';
    const claims = claimsIn(receipt, keys);
    if (!claims) return 'bad_signature';
    const endpoint = PAID_ENDPOINTS.find(({ path }) => path === request.path)!;
    if (request.path !== claims.endpoint) return 'other_request';
    if (requestDigest(endpoint, request.body) !== claims.request_digest) return 'other_request';
    return contentDigest(answer) === claims.response_digest ? 'holds' : 'other_answer';
  }
});

import { randomBytes } from 'node:crypto';
import {
  AgentErrorBody,
  componentOf,
  openApiParts,
  type OpenApiReference,
  type OpenApiResponse,
  PAID_ENDPOINTS,
  PaymentRequired,
} from '@evenkeel/contracts';
import { routesOf } from '@evenkeel/platform/testing';
import type { SignedPayment } from '../buyer.fixture';
import type { Authorization } from '../calls/payment';
import { Facilitator } from '../facilitator/facilitator.port';
import { type Gateway, startGateway } from '../gateway.fixture';
import { FindPayments } from '../ledger/find-payments';
import { callTool, opened } from '../mcp/mcp.fixture';
import { headerOf, settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** The decorators of a path, as the OpenAPI document has them. */
const { paths: operations, components } = openApiParts().get('agent-gateway')!;

function answerOf(response: OpenApiResponse | OpenApiReference): OpenApiResponse {
  if (!('$ref' in response)) return response;
  return components!.responses![response.$ref.replace('#/components/responses/', '')]!;
}

it('the routes that take a payment are those of the price list', () => {
  const posts = routesOf(gateway.app).filter((route) => route.startsWith('POST /agent/'));
  expect(posts).toEqual(PAID_ENDPOINTS.map(({ path }) => `POST ${path}`).sort());
});

it.each(PAID_ENDPOINTS)('$path answers with its own offer', async ({ path, priceMicros }) => {
  const { status, body } = await gateway.send(path, { method: 'POST' });
  const [{ resource, maxAmountRequired }] = body['accepts'] as [{ resource: string; maxAmountRequired: string }];
  expect([status, new URL(resource).pathname, maxAmountRequired]).toEqual([402, path, String(priceMicros)]);
});

it.each(PAID_ENDPOINTS)('the body and the answers of $path are the classes of the price list', (endpoint) => {
  const { parameters, requestBody, responses } = operations[endpoint.path]!.post!;
  const { schema } = requestBody!.content['application/json']!;
  expect(schema.oneOf ?? [schema]).toEqual(endpoint.requestForms.map(componentOf));
  const headers = parameters!.map(({ name }) => name);
  expect(headers).toEqual(['X-PAYMENT', 'PAYMENT-SIGNATURE', 'X-Agent-Credit', 'Idempotency-Key']);
  const schemas = Object.entries(responses).map(([status, response]) => [
    status,
    answerOf(response).content!['application/json']!.schema,
  ]);
  expect(Object.fromEntries(schemas)).toEqual({
    200: componentOf(endpoint.result),
    402: componentOf(PaymentRequired),
    ...Object.fromEntries([400, 413, 415, 429, 500, 502].map((status) => [status, componentOf(AgentErrorBody)])),
  });
});

describe('a version 2 payment with the longest signature, as of a smart account that is not deployed yet', () => {
  beforeAll(() => {
    const facilitator = gateway.app.get(Facilitator);
    jest.spyOn(facilitator, 'verify').mockResolvedValue({ kind: 'valid' });
    jest.spyOn(facilitator, 'settle').mockResolvedValue({ kind: 'settled', transactionHash: `0x${'ab'.repeat(32)}` });
  });
  afterAll(() => jest.restoreAllMocks());

  it.each(PAID_ENDPOINTS)('pays for $path', async (endpoint) => {
    const { headers } = await gateway.send(endpoint.path, { method: 'POST' });
    const offer = JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString()) as {
      resource: object;
      accepts: object[];
      extensions: Record<string, object>;
    };
    const identifier = { info: { required: false, id: 'i'.repeat(128) } };
    const { authorization } = await gateway.aBuyer().sign({ endpoint });
    // As clients do: they return our own offer with the payment.
    const payment = headerOf({
      x402Version: 2,
      resource: offer.resource,
      accepted: offer.accepts[0],
      payload: { signature: `0x${'cd'.repeat(4_096)}`, authorization },
      extensions: {
        ...offer.extensions,
        'payment-identifier': { ...offer.extensions['payment-identifier'], ...identifier },
      },
    });
    const sent = {
      'content-type': 'application/json',
      'payment-signature': payment,
      'access-control-expose-headers': 'PAYMENT-RESPONSE,X-PAYMENT-RESPONSE',
      'user-agent': 'u'.repeat(100),
    };
    const answer = await gateway.send(endpoint.path, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(endpoint.exampleInput),
    });
    expect(payment.length).toBeGreaterThan(14_000);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    expect(settlementResponseIn(answer.headers)).toMatchObject({ success: true, status: 'settled' });
  });
});

describe('the times of an authorization', () => {
  const secondsFromNow = (seconds: number) => String(gateway.clock.now().getTime() / 1_000 + seconds);

  /** The refusal of a payment, over HTTP and over MCP. */
  const DOORS: [string, (payment: SignedPayment) => Promise<Record<string, unknown>>][] = [
    ['HTTP', async (payment) => (await gateway.pay(payment)).body],
    [
      'MCP',
      async ({ header }) => (await callTool(gateway, { meta: { 'x402/payment': opened(header) } })).structuredContent,
    ],
  ];

  /** Times that are refused at the time of the test. */
  const REFUSED: [string, () => Partial<Authorization>, string][] = [
    ['valid for 901 s', () => ({ validBefore: secondsFromNow(901) }), 'authorization_valid_too_long'],
    ['valid until 10^60', () => ({ validBefore: `1${'0'.repeat(60)}` }), 'authorization_valid_too_long'],
    ['valid in 31 s', () => ({ validAfter: secondsFromNow(31) }), 'authorization_not_yet_valid'],
  ];

  describe.each(DOORS)('over %s', (_, pay) => {
    it.each(REFUSED)(
      'an authorization %s is 402 with the offer, the facilitator is not asked and nothing is written',
      async (_, authorization, code) => {
        const payment = await gateway.aBuyer().sign({ version: 2, authorization: authorization() });
        expect(await pay(payment)).toMatchObject({
          error: code,
          details: { code, charged: false, retry: 'pay_again' },
          accepts: [expect.objectContaining({ scheme: 'exact' })],
        });
        expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 0, settle: 0, bodies: 0 });
        expect(await gateway.ledger.entriesOf(payment.nonce)).toBeNull();
      },
    );

    it.each<[string, () => Partial<Authorization>]>([
      ['for the longest time that is allowed', () => ({ validBefore: secondsFromNow(900) })],
      [
        'for the time that the offer states',
        () => ({ validBefore: secondsFromNow(300), validAfter: secondsFromNow(-600) }),
      ],
    ])('one that is valid %s pays', async (_, authorization) => {
      const payment = await gateway.aBuyer().sign({ version: 2, authorization: authorization() });
      expect((await pay(payment)).error).toBeUndefined();
      expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled' });
    });
  });

  it('the facilitator decides about an authorization that becomes valid within 30 s', async () => {
    const payment = await gateway.aBuyer().sign({ authorization: { validAfter: secondsFromNow(30) } });
    expect((await gateway.pay(payment)).body).toMatchObject({
      error: 'payment_rejected',
      details: { code: 'authorization_not_yet_valid' },
    });
    expect(gateway.callsAbout(payment.nonce).verify).toBe(1);
  });

  it('a payment that was taken gets its answer again after these times are over', async () => {
    const authorization = { validBefore: secondsFromNow(900), validAfter: secondsFromNow(-10) };
    const payment = await gateway.aBuyer().sign({ authorization });
    const first = await gateway.pay(payment);
    for (const seconds of [-1, -60]) {
      const now = gateway.clock.now();
      gateway.clock.set(new Date(now.getTime() + seconds * 1_000));
      const again = await gateway.pay(payment);
      gateway.clock.set(now);
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
    }
    expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 1, bodies: 1 });
  });
});

describe('was I charged?', () => {
  const ask = (nonce: string, query = '') => gateway.send(`/agent/v1/payments/${nonce}${query}`);
  const change = (nonce: string, sql: string) =>
    gateway.ledger.dataSource.query(`UPDATE payments SET ${sql} WHERE nonce = $1`, [nonce]);
  const issueOf = ({ status, body }: Awaited<ReturnType<typeof ask>>) => [
    status,
    (body.details?.issues as { path: string; code: string }[] | undefined)?.map(({ path, code }) => `${path} ${code}`),
  ];

  async function aPaidCall(): Promise<SignedPayment> {
    const payment = await gateway.aBuyer().sign();
    expect((await gateway.pay(payment)).status).toBe(200);
    return payment;
  }

  it('yes, and the answer can be repeated', async () => {
    const { nonce, authorization } = await aPaidCall();
    const { transactionHash } = await gateway.ledger.payment(nonce);
    const { status, headers, body } = await ask(nonce.toUpperCase().replace('X', 'x'));
    expect([status, headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([
      200,
      'no-store',
      '*',
    ]);
    expect(body).toEqual({
      nonce,
      payer: authorization.from,
      endpoint: '/agent/v1/habits/analyze',
      amount: { usd: 0.05, usd_exact: '0.050000' },
      amount_atomic: '50000',
      state: 'settled',
      charged: true,
      transaction: transactionHash,
      answer_available_until: new Date(gateway.clock.now().getTime() + 3_600_000).toISOString(),
      retry: 'retry_same',
    });
    gateway.clock.advanceMs(3_600_000);
    expect((await ask(nonce)).body).toMatchObject({
      charged: true,
      answer_available_until: null,
      retry: 'do_not_retry',
    });
  });

  it.each<[string, string, unknown, string]>([
    ['still settling', `state = 'settling', settled_at = NULL`, null, 'retry_same'],
    ['pending', `state = 'settlement_pending', settled_at = NULL`, null, 'retry_same'],
    ['to be reconciled', `state = 'needs_reconciliation', settled_at = NULL`, null, 'retry_same'],
    ['failed', `state = 'settlement_failed', settled_at = NULL`, false, 'pay_again'],
    ['settled and never answered', `served = false`, true, 'retry_same'],
  ])('%s', async (_, sql, charged, retry) => {
    const { nonce } = await aPaidCall();
    await gateway.ledger.dataSource.query('DELETE FROM payment_answers');
    await change(nonce, sql);
    expect((await ask(nonce)).body).toMatchObject({ charged, retry, answer_available_until: null });
  });

  it('says nothing that only the payer may know', async () => {
    const { nonce } = await aPaidCall();
    const row = await gateway.ledger.payment(nonce);
    const { text } = await ask(nonce);
    for (const secret of [row.fingerprint, row.payloadDigest, row.signature, row.id, row.requestId]) {
      expect(text).not.toContain(secret);
    }
  });

  it('a nonce of several payers: the payer must be named', async () => {
    const { nonce } = await aPaidCall();
    const other = gateway.aBuyer();
    await gateway.pay(await other.sign({ authorization: { nonce } }));
    expect(issueOf(await ask(nonce))).toEqual([400, ['/payer required']]);
    expect((await ask(nonce, `?payer=${other.wallet.toUpperCase().replace('X', 'x')}`)).body).toMatchObject({
      nonce,
      charged: true,
    });
    expect((await ask(nonce, `?payer=${gateway.aBuyer().wallet}`)).status).toBe(404);
  });

  it.each([
    ['a nonce that is none', '0x12', '', ['/nonce bad_format']],
    ['a nonce without 0x', 'ab'.repeat(32), '', ['/nonce bad_format']],
    ['a payer that is none', `0x${'ab'.repeat(32)}`, '?payer=me', ['/payer bad_format']],
    ['two payers', `0x${'ab'.repeat(32)}`, '?payer=a&payer=b', ['/payer bad_format']],
  ])('400 for %s', async (_, nonce, query, issues) => expect(issueOf(await ask(nonce, query))).toEqual([400, issues]));

  it('404 for a nonce that never reached settle', async () => {
    const { status, body } = await ask(`0x${randomBytes(32).toString('hex')}`);
    expect([status, body.error, body.details]).toEqual([404, 'not_found', { charged: false, retry: 'do_not_retry' }]);
  });

  it('503 while the ledger does not answer', async () => {
    const { nonce } = await aPaidCall();
    const broken = jest.spyOn(gateway.app.get(FindPayments), 'byNonce').mockRejectedValue(new Error('gone'));
    const { status, body, headers } = await ask(nonce);
    broken.mockRestore();
    expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  });
});

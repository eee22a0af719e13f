import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Ajv2020 } from 'ajv/dist/2020';
import { type Gateway, startGateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { analyze, terms } from '../payments/payment.fixture';
import { callTool, opened, send } from './mcp.fixture';
import { registryEntry } from './server-card';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

interface Declaration {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations: object;
  _meta?: Record<string, unknown>;
}
let tools: Declaration[];
beforeAll(async () => {
  const { body } = await send(gateway, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  ({ tools } = body['result'] as { tools: Declaration[] });
});

const declared = (name: string) => tools.find((tool) => tool.name === name)!;
const validator = (schema: object) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const readsOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

describe.each(PAID_ENDPOINTS)('$toolName', ({ toolName, priceMicros, exampleInput, exampleResult }) => {
  it('states its price first, for people and for clients', () => {
    const { description, annotations, _meta } = declared(toolName);
    const usd = priceMicros / 1e6;
    expect(description).toMatch(new RegExp(`^Costs ${usd.toFixed(2)} USD a call`));
    expect(annotations).toMatchObject(readsOnly);
    expect(_meta).toEqual({
      'agents-x402/paymentRequired': true,
      'agents-x402/priceUSD': usd,
      x402: {
        paymentRequired: true,
        scheme: 'exact',
        network: 'eip155:8453',
        amount: String(priceMicros),
        asset: terms.asset,
        payTo: terms.payTo,
        maxTimeoutSeconds: 300,
        extra: { name: 'USD Coin', version: '2' },
      },
      'evenkeel/offer-digest': gateway.app.get(Offers).digest,
    });
  });

  it('accepts its example, by a schema without a choice at the top', () => {
    const { inputSchema } = declared(toolName);
    expect(inputSchema).toMatchObject({ type: 'object' });
    expect(Object.keys(inputSchema)).not.toEqual(expect.arrayContaining(['oneOf']));
    expect(validator(inputSchema)(exampleInput)).toBe(true);
  });

  it('has an output schema for every structured answer', async () => {
    const fits = validator(declared(toolName).outputSchema!);
    const price = await callTool(gateway, { name: toolName });
    const error = await callTool(gateway, { name: toolName, arguments: {}, meta: { 'evenkeel/credit': 'hrc_x' } });
    expect([price.structuredContent.error, error.structuredContent.error]).toEqual([
      'payment_required',
      'validation_failed',
    ]);
    const answers = [exampleResult, price.structuredContent, error.structuredContent];
    expect(answers.map((answer) => fits(answer))).toEqual([true, true, true]);
    expect(fits({ something: 'else' })).toBe(false);
  });
});

it('no client has to drop or to fetch a part of a schema: no list of types, bare boolean, empty schema or reference elsewhere', () => {
  for (const { inputSchema, outputSchema } of tools) {
    const text = JSON.stringify([inputSchema, outputSchema]);
    expect(text).not.toMatch(/"type":\[|"\$ref":"(?!#)|"(?!additionalProperties)\w+":(true|\{\})(?=[,}])/);
  }
});

it.each(['list_offers', 'check_input', 'payment_status'])('%s is free, and its text begins with that', (name) => {
  const { description, annotations, outputSchema } = declared(name);
  expect(description).toMatch(/^Free\. /);
  expect(annotations).toMatchObject(readsOnly);
  expect(outputSchema).toBeUndefined();
});

it('the server card leads to this server', async () => {
  const { status, headers, body } = await gateway.send('/mcp/server-card');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/mcp-server-card\+json/);
  expect(headers.get('cache-control')).toBe('public, max-age=300');
  expect(body).toMatchObject({
    name: 'example.api/habit-reliability-analytics',
    remotes: [{ type: 'streamable-http', url: 'https://api.example/mcp' }],
  });
  const again = await gateway.send('/mcp/server-card', { headers: { 'if-none-match': headers.get('etag')! } });
  expect(again.status).toBe(304);
});

const call = async (name: string, input: object = {}) => callTool(gateway, { name, arguments: input });

describe('list_offers', () => {
  it('answers with the price list of HTTP and the names of the tools', async () => {
    const { structuredContent, content } = await call('list_offers');
    const { body } = await gateway.send('/agent/v1/pricing');
    const endpoints = body['endpoints'] as object[];
    const named = endpoints.map((offer, index) => ({ tool: PAID_ENDPOINTS[index]!.toolName, ...offer }));
    expect(structuredContent).toEqual({ ...body, endpoints: named });
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  });

  it('states tier, spend and credits of a wallet', async () => {
    const buyer = gateway.aBuyer();
    await gateway.pay(await buyer.sign());
    const { structuredContent } = await call('list_offers', { wallet: buyer.wallet });
    expect(structuredContent['wallet']).toMatchObject({ known: true, lifetime_spend: { usd_exact: '0.050000' } });
  });
});

describe('check_input', () => {
  it.each(PAID_ENDPOINTS)('states the price of $toolName', async (endpoint) => {
    const input = { tool: endpoint.toolName, arguments: endpoint.exampleInput };
    expect((await call('check_input', input)).structuredContent).toEqual({
      tool: endpoint.toolName,
      valid: true,
      price: { usd: endpoint.priceMicros / 1e6, usd_exact: (endpoint.priceMicros / 1e6).toFixed(6) },
      amount_atomic: String(endpoint.priceMicros),
      max_items: 25,
      offer_digest: gateway.app.get(Offers).digest,
      charged: false,
    });
  });

  it.each<[string, unknown, object]>([
    [
      'a mistake',
      { habits: [{ name: 'x', completion_rate: 2, current_streak: 0, best_streak: 0 }] },
      { path: '/habits/0/completion_rate', code: 'out_of_range' },
    ],
    ['no arguments', undefined, { path: '', code: 'wrong_type' }],
  ])('names %s, as a paid call would', async (_, input, issue) => {
    const { isError, structuredContent } = await call('check_input', { tool: analyze.toolName, arguments: input });
    expect(isError).toBeUndefined();
    expect(structuredContent).toMatchObject({ valid: false, issues: [issue] });
  });
});

describe('payment_status', () => {
  it('answers as HTTP does', async () => {
    const payment = await gateway.aBuyer().sign({ version: 2 });
    await callTool(gateway, { meta: { 'x402/payment': opened(payment.header) } });
    const { structuredContent } = await call('payment_status', { nonce: payment.nonce });
    expect(structuredContent).toEqual((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).body);
    expect(structuredContent).toMatchObject({ state: 'settled', charged: true, retry: 'retry_same' });
  });

  it.each([
    ['an unknown nonce', { nonce: `0x${'0'.repeat(64)}` }, 'not_found'],
    ['no nonce', {}, 'validation_failed'],
    ['a malformed payer', { nonce: `0x${'0'.repeat(64)}`, payer: 'me' }, 'validation_failed'],
  ])('%s is an error of ours', async (_, input, error) => {
    expect(await call('payment_status', input)).toMatchObject({ isError: true, structuredContent: { error } });
  });
});

it('server.json equals what the code states', () => {
  const file = JSON.parse(readFileSync(join(__dirname, '../../server.json'), 'utf8')) as object;
  expect(file).toEqual(registryEntry('https://api.example.com'));
});

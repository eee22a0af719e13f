import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Ajv2020 } from 'ajv/dist/2020';
import { aGateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { analyze, terms } from '../payments/payment.fixture';
import { callTool, opened, send } from './mcp.fixture';
import { registryEntry } from './server-card';

interface Declaration {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations: object;
  _meta?: Record<string, unknown>;
}

const gateway = aGateway();
let digest: string;
let tools: Declaration[];
beforeAll(async () => {
  digest = gateway.app.get(Offers).digest;
  const { body } = await send(gateway, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  ({ tools } = body['result'] as { tools: Declaration[] });
});

const declared = (name: string) => tools.find((tool) => tool.name === name)!;
const validator = (schema: object) => new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
const readsOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

it.each(PAID_ENDPOINTS)('$toolName states its price first, for people and for clients', ({ toolName, priceMicros }) => {
  const { description, annotations, _meta } = declared(toolName);
  const usd = priceMicros / 1e6;
  const entry = { scheme: 'exact', network: 'eip155:8453', amount: String(priceMicros), maxTimeoutSeconds: 300 };
  const money = { asset: terms.asset, payTo: terms.payTo, extra: { name: 'USD Coin', version: '2' } };
  expect(description).toMatch(new RegExp(`^Costs ${usd.toFixed(2)} USD a call`));
  expect(annotations).toMatchObject(readsOnly);
  expect(_meta).toEqual({
    'agents-x402/paymentRequired': true,
    'agents-x402/priceUSD': usd,
    x402: { paymentRequired: true, ...entry, ...money },
    'evenkeel/offer-digest': digest,
  });
});

it.each(PAID_ENDPOINTS)('$toolName has schemas that its example, and every answer of it, fit', async (endpoint) => {
  const { toolName: name, exampleInput, exampleResult } = endpoint;
  const { inputSchema, outputSchema } = declared(name);
  expect([inputSchema['type'], 'oneOf' in inputSchema]).toEqual(['object', false]);
  expect(validator(inputSchema)(exampleInput)).toBe(true);
  const fits = validator(outputSchema!);
  const price = await callTool(gateway, { name });
  const error = await callTool(gateway, { name, arguments: {}, meta: { 'evenkeel/credit': 'hrc_x' } });
  const refusals = [price, error].map(({ structuredContent }) => structuredContent);
  expect(refusals.map((refusal) => refusal.error)).toEqual(['payment_required', 'validation_failed']);
  expect([exampleResult, ...refusals].map((one) => fits(one))).toEqual([true, true, true]);
  expect(fits({ something: 'else' })).toBe(false);
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

it('the server card and server.json lead to this server', async () => {
  const { body } = await gateway.send('/mcp/server-card');
  const remotes = [{ type: 'streamable-http', url: 'https://api.example/mcp' }];
  expect(body).toMatchObject({ name: 'example.api/habit-reliability-analytics', remotes });
  const file = JSON.parse(readFileSync(join(__dirname, '../../server.json'), 'utf8')) as object;
  expect(file).toEqual(registryEntry('https://api.example.com'));
});

const call = (name: string, input: object = {}) => callTool(gateway, { name, arguments: input });

it('list_offers answers with the price list of HTTP, the names of the tools, and the status of a wallet', async () => {
  const { structuredContent, content } = await call('list_offers');
  const { body } = await gateway.send('/agent/v1/pricing');
  const endpoints = body['endpoints'] as object[];
  const named = endpoints.map((offer, index) => ({ tool: PAID_ENDPOINTS[index]!.toolName, ...offer }));
  expect(structuredContent).toEqual({ ...body, endpoints: named });
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);

  const buyer = gateway.aBuyer();
  await gateway.pay(await buyer.sign());
  const { structuredContent: known } = await call('list_offers', { wallet: buyer.wallet });
  expect(known['wallet']).toMatchObject({ known: true, lifetime_spend: { usd_exact: '0.050000' } });
});

const issue = (path: string, code: string) => ({ valid: false, issues: [expect.objectContaining({ path, code })] });
const habit = { name: 'x', completion_rate: 2, current_streak: 0, best_streak: 0 };
it.each<[string, unknown, object]>([
  ['the example', analyze.exampleInput, { valid: true }],
  ['a mistake', { habits: [habit] }, issue('/habits/0/completion_rate', 'out_of_range')],
  ['no arguments', undefined, issue('', 'wrong_type')],
])('check_input states the price of a tool, and of %s what a paid call would say', async (_, input, verdict) => {
  const { toolName: tool } = analyze;
  const { isError, structuredContent } = await call('check_input', { tool, arguments: input });
  const price = { price: { usd: 0.05, usd_exact: '0.050000' }, amount_atomic: '50000', charged: false };
  const expected = { tool, ...verdict, ...price, max_items: 25, offer_digest: digest };
  expect([isError, structuredContent]).toEqual([undefined, expected]);
});

it('payment_status answers as HTTP does', async () => {
  const payment = await gateway.aBuyer().sign({ version: 2 });
  await callTool(gateway, { meta: { 'x402/payment': opened(payment.header) } });
  const { structuredContent } = await call('payment_status', { nonce: payment.nonce });
  expect(structuredContent).toEqual((await gateway.send(`/agent/v1/payments/${payment.nonce}`)).body);
  expect(structuredContent).toMatchObject({ state: 'settled', charged: true, retry: 'retry_same' });
});

it.each([
  ['list_offers', { wallet: 'me' }, 'validation_failed'],
  ['check_input', { tool: 'nobody', arguments: {} }, 'validation_failed'],
  ['payment_status', { nonce: `0x${'0'.repeat(64)}` }, 'not_found'],
  ['payment_status', {}, 'validation_failed'],
])('%s with %j is an error of ours', async (name, input, error) => {
  expect(await call(name, input)).toMatchObject({ isError: true, structuredContent: { error } });
});

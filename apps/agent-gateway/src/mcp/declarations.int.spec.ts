import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { Ajv2020 } from 'ajv/dist/2020';
import { startGateway, type Gateway } from '../gateway.fixture';
import { Offers } from '../offers/offers';
import { terms } from '../payments/payment.fixture';
import { callTool, send } from './mcp.fixture';
import { portabilityWarnings } from './portability.fixture';

interface Declaration {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations: object;
  _meta?: Record<string, unknown>;
}

let gateway: Gateway;
let tools: Declaration[];
beforeAll(async () => {
  gateway = await startGateway();
  const { body } = await send(gateway, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  ({ tools } = body['result'] as { tools: Declaration[] });
});
afterAll(() => gateway.close());

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

describe('the portability of a schema', () => {
  it('is that of every tool: no client has to drop or to fetch a part of it', () => {
    const warnings = tools.flatMap(({ name, inputSchema, outputSchema = { type: 'object' } }) => [
      ...portabilityWarnings(inputSchema, `${name} in`),
      ...portabilityWarnings(outputSchema, `${name} out`),
    ]);
    expect(warnings).toEqual([]);
  });

  it.each<[string, object]>([
    ['/properties/a: a bare true', { type: 'object', properties: { a: true } }],
    ['/properties/a: a list of types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
    ['/anyOf/0: says nothing', { anyOf: [{ title: 'Anything' }] }],
    ['/items: a reference to elsewhere', { type: 'array', items: { $ref: 'https://api.example/schema' } }],
    ['/$defs/A/not/items: says nothing', { $ref: '#/$defs/A', $defs: { A: { type: 'object', not: { items: {} } } } }],
  ])('is less with %s', (warning, schema) => expect(portabilityWarnings(schema)).toEqual([warning]));

  it('allows what every client reads', () => {
    const schema = { type: 'object', additionalProperties: true, properties: { a: { not: {} }, b: { enum: [1] } } };
    expect(portabilityWarnings(schema)).toEqual([]);
  });
});

it('plan accepts both of its forms', () => {
  const fits = validator(declared('plan_habits').inputSchema);
  const habit = { name: 'Run', completion_rate: 0.5, current_streak: 1, best_streak: 2 };
  expect(
    [
      { habits: [habit], horizon_days: 180 },
      { habit, horizon_days: 21 },
    ].map((body) => fits(body)),
  ).toEqual([true, true]);
  expect(fits({ habits: [habit], user_id: 'x' })).toBe(false);
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

import {
  AgentErrorBody,
  componentOf,
  openApiParts,
  PAID_ENDPOINTS,
  PaymentRequired,
  type OpenApiReference,
  type OpenApiResponse,
} from '@evenkeel/contracts';
import { routesOf } from '@evenkeel/platform/testing';
import { Facilitator } from '../facilitator/facilitator.port';
import { startGateway, type Gateway } from '../gateway.fixture';
import { headerOf, settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** What the decorators of a path say, as the document of OpenAPI has it. */
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
    // What clients send: our own offer comes back with the payment.
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

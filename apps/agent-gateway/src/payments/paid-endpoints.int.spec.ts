import {
  AgentErrorBody,
  componentOf,
  openApiParts,
  PAID_ENDPOINTS,
  PaymentRequired,
  type OpenApiReference,
  type OpenApiResponse,
} from '@evenkeel/contracts';
import { Controller, Get, Post, UseGuards, UseInterceptors, UsePipes, ValidationPipe } from '@nestjs/common';
import { Facilitator } from '../facilitator/facilitator.port';
import { startGateway, type Gateway } from '../gateway.fixture';
import { BareRoutes, routesOf } from './bare-routes';
import { PaidEndpointsController } from './paid-endpoints.controller';
import { headerOf, settlementResponseIn } from './payment.fixture';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const controller = new PaidEndpointsController(undefined as never, undefined as never);
const stated = routesOf(controller);
const paths = stated.map(({ path }) => path);
const servedBy = (app: Gateway['app']) => app.getHttpAdapter().getInstance().shortcuts.routes;

/** What the decorators of a path say, as the document of OpenAPI has it. */
const { paths: operations, components } = openApiParts().get('agent-gateway')!;

function answerOf(response: OpenApiResponse | OpenApiReference): OpenApiResponse {
  if (!('$ref' in response)) return response;
  return components!.responses![response.$ref.replace('#/components/responses/', '')]!;
}

it('the routes of the controller are those of the price list, and those that are served', () => {
  expect(paths).toEqual(PAID_ENDPOINTS.map(({ path }) => path));
  expect(servedBy(gateway.app)).toEqual(paths.map((path) => `POST ${path}`));
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

describe('a controller on the bare connection', () => {
  it('serves no route that it does not state', () => {
    @Controller('agent/v1')
    class WithoutRoute {
      @Post('habits/plan') plan() {}
      insights() {}
    }
    const served: string[] = [];
    const shortcuts = { post: (path: string) => served.push(path) };
    const adapterHost = { httpAdapter: { getInstance: () => ({ shortcuts }) } };
    new BareRoutes(adapterHost as never, new WithoutRoute() as never).onModuleInit();
    expect(served).toEqual(['/agent/v1/habits/plan']);
  });

  it('is refused at start with another method, guards, pipes or interceptors', () => {
    @Controller('a')
    class WithGet {
      @Get('b') read() {}
    }
    @Controller('a')
    class WithGuard {
      @UseGuards(class {}) @Post('b') guarded() {}
    }
    @Controller('a')
    class WithPipe {
      @UsePipes(ValidationPipe) @Post('b') piped() {}
    }
    @Controller('a')
    @UseInterceptors(class {} as never)
    class WithInterceptor {
      @Post('b') watched() {}
    }
    for (const refused of [WithGet, WithGuard, WithPipe, WithInterceptor]) {
      expect(() => routesOf(new refused())).toThrow(/bare connection/);
    }
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

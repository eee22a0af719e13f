import { AgentErrorBody, PAID_ENDPOINTS, PaymentRequired } from '@evenkeel/contracts';
import { Controller, Get, Post, UseGuards, UseInterceptors, UsePipes, ValidationPipe } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { getSchemaPath } from '@nestjs/swagger';
import { startGateway, type Gateway } from '../gateway.fixture';
import { BareRoutes, routesOf } from './bare-routes';
import { PaidEndpointsController } from './paid-endpoints.controller';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const controller = new PaidEndpointsController(undefined as never, undefined as never);
const stated = routesOf(controller);
const paths = stated.map(({ path }) => path);
const servedBy = (app: Gateway['app']) => app.getHttpAdapter().getInstance().shortcuts.paths;

/** The metadata that Swagger reads from the handler of a path. */
function documented(path: string) {
  const methods = PaidEndpointsController.prototype as unknown as Record<string, Function>;
  const handler = Object.getOwnPropertyNames(methods)
    .map((name) => methods[name]!)
    .find((method) => path.endsWith(`/${Reflect.getMetadata(PATH_METADATA, method) as string}`))!;
  const responses = Reflect.getMetadata('swagger/apiResponse', handler) as Record<string, { type: Function }>;
  const parameters = Reflect.getMetadata('swagger/apiParameters', handler) as {
    in: string;
    name?: string;
    type?: Function;
    schema?: { oneOf: { $ref: string }[] };
  }[];
  const body = parameters.find((parameter) => parameter.in === 'body')!;
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
  return { responses, body, headers };
}

it('the routes of the controller are those of the price list, and those that are served', () => {
  expect(paths).toEqual(PAID_ENDPOINTS.map(({ path }) => path));
  expect(servedBy(gateway.app)).toEqual(paths);
});

it.each(PAID_ENDPOINTS)('$path answers with its own offer', async ({ path, priceMicros }) => {
  const { status, body } = await gateway.send(path, { method: 'POST' });
  const [{ resource, maxAmountRequired }] = body['accepts'] as [{ resource: string; maxAmountRequired: string }];
  expect([status, new URL(resource).pathname, maxAmountRequired]).toEqual([402, path, String(priceMicros)]);
});

it.each(PAID_ENDPOINTS)('the body and the answers of $path are the classes of the price list', (endpoint) => {
  const { body, headers, responses } = documented(endpoint.path);
  const forms = body.schema?.oneOf.map(({ $ref }) => $ref) ?? [getSchemaPath(body.type!)];
  expect(forms).toEqual(endpoint.requestForms.map((form) => getSchemaPath(form)));
  expect(headers).toEqual(['X-PAYMENT', 'PAYMENT-SIGNATURE', 'X-Agent-Credit', 'Idempotency-Key']);
  const types = Object.fromEntries(Object.entries(responses).map(([status, { type }]) => [status, type]));
  expect(types).toEqual({
    200: endpoint.result,
    402: PaymentRequired,
    ...Object.fromEntries([400, 413, 415, 429, 500, 502].map((status) => [status, AgentErrorBody])),
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

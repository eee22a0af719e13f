import { Controller, Get, Module, Param, Post } from '@nestjs/common';
import { closeTracing, createLogger, currentTraceparent, openTracing } from '../observability';
import { eventually, TraceReceiver } from '../testing';
import { createHttpApp } from './create-http-app';
import { anyFreePorts, send, someHttpOptions } from './http.fixture';
import { requestHandler, serve, type RunningHttp } from './run-http';

@Controller('v1')
class StepController {
  /** The step that the handler runs in. */
  @Post('step')
  async step() {
    await new Promise((resolve) => setImmediate(resolve));
    return { traceparent: currentTraceparent() };
  }

  @Get('things/:id')
  thing(@Param('id') id: string): never {
    throw new Error(`no ${id}`);
  }
}

@Module({ controllers: [StepController] })
class StepModule {}

const WITHIN = { withinMs: 20_000 };
const caller = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

let receiver: TraceReceiver;
let running: RunningHttp;
beforeAll(async () => {
  receiver = await TraceReceiver.start();
  const logger = createLogger('test', { level: 'silent', destination: { write: () => undefined } });
  await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, TRACE_SAMPLE_RATIO: 0 }, 'echo', logger);
  const app = await createHttpApp(StepModule, someHttpOptions());
  running = await serve(await requestHandler(app), anyFreePorts(), () => app.close());
});
afterAll(async () => {
  await running.close();
  await closeTracing();
  await receiver.close();
});

const ask = (path: string, headers: Record<string, string>, body?: string) =>
  send(running.url + path, { method: body === undefined ? 'GET' : 'POST', headers, body });

it('a handler runs in the step of its request, also after its body was read', async () => {
  const body = 'x'.repeat(1_000);
  const steps = await Promise.all([ask('/v1/step', { traceparent: caller }, body), ask('/v1/step', {}, body)]);
  const [traced, other] = steps.map(({ text }) => (JSON.parse(text) as { traceparent: string | null }).traceparent);
  const span = await eventually(() => {
    expect(receiver.spans).toHaveLength(1);
    return receiver.spans[0]!;
  }, WITHIN);
  expect([traced, other]).toEqual([`00-${caller.slice(3, 35)}-${span.spanId}-01`, null]);
});

it('a span is named after the template of its route, and fails with its answer; an address without a route has none', async () => {
  const headers = { traceparent: caller, 'x-request-id': 'request-of-a-test' };
  await ask('/v1/nothing-here', headers);
  await ask('/v1/things/of-ana', headers);
  const thing = await eventually(() => {
    expect(receiver.spans).toHaveLength(2);
    return receiver.spans[1]!;
  }, WITHIN);
  expect(thing).toMatchObject({
    name: 'GET /v1/things/:id',
    parentSpanId: '00f067aa0ba902b7',
    status: { code: 2 },
    attributes: { 'http.response.status_code': 500, 'evenkeel.request_id': 'request-of-a-test' },
  });
  expect(JSON.stringify(receiver.spans)).not.toContain('ana');
});

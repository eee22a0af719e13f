import { Controller, Get, Module, Param, Post } from '@nestjs/common';
import { closeTracing, createLogger, currentTraceparent, openTracing } from '../observability';
import { TraceReceiver } from '../testing';
import { send, startApp } from './http.fixture';

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

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `${trace}-00f067aa0ba902b7-01`, 'x-request-id': 'request-of-a-test' };

it('a traced request to a route has a span by the template of its path, in which its handler runs', async () => {
  const receiver = await TraceReceiver.start();
  const logger = createLogger('test', { level: 'silent', destination: { write: () => undefined } });
  await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, TRACE_SAMPLE_RATIO: 0 }, 'echo', logger);
  const running = await startApp(StepModule);
  const step = { method: 'POST', body: 'x'.repeat(1_000) };
  const answers = await Promise.all([
    send(`${running.url}/v1/step`, { ...step, headers }),
    send(`${running.url}/v1/step`, step),
    send(`${running.url}/v1/nothing-here`, { headers }),
    send(`${running.url}/v1/things/of-ana`, { headers }),
  ]);
  await running.close();
  await closeTracing();
  await receiver.close();

  const [thing, stepped] = receiver.spans.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  expect(receiver.spans).toHaveLength(2);
  expect(answers.slice(0, 2).map(({ text }) => JSON.parse(text) as object)).toEqual([
    { traceparent: `${trace}-${stepped!.spanId}-01` },
    { traceparent: null },
  ]);
  expect(thing).toMatchObject({
    name: 'GET /v1/things/:id',
    parentSpanId: '00f067aa0ba902b7',
    status: { code: 2 },
    attributes: { 'http.response.status_code': 500, 'evenkeel.request_id': 'request-of-a-test' },
  });
  expect(JSON.stringify(receiver.spans)).not.toContain('ana');
});

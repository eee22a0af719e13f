import { freePort } from '@evenkeel/services/free-port';
import { eventually, TraceReceiver } from '../testing';
import { createLogger } from './create-logger';
import { openTracing } from './otlp-spans';
import { beginRequest, closeTracing, isTracing } from './tracing';

const WITHIN = { withinMs: 20_000 };

let lines: string[];
const logger = createLogger('shop', { destination: { write: (line: string) => void lines.push(line) } });
const messages = () => lines.map((line) => (JSON.parse(line) as { message: string }).message);
const traceTo = (OTEL_EXPORTER_OTLP_ENDPOINT?: string) =>
  openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT, TRACE_SAMPLE_RATIO: 1 }, 'shop', logger);
const traceOne = () =>
  beginRequest('GET /', undefined, { 'http.route': '/' })!.end({ 'http.response.status_code': 200 });

beforeEach(() => void (lines = []));
afterEach(() => closeTracing());

it('without a receiver nothing is traced', async () => {
  await traceTo(undefined);
  expect([isTracing(), beginRequest('GET /', undefined, {})]).toEqual([false, null]);
});

it('what has ended is sent when the process closes, under the name of the process', async () => {
  const receiver = await TraceReceiver.start();
  await traceTo(`${receiver.endpoint}/`);
  for (let call = 0; call < 700; call++) traceOne();
  await closeTracing();
  expect(receiver.spans).toHaveLength(700);
  const attributes = { 'http.route': '/', 'http.response.status_code': 200 };
  expect(receiver.spans[0]).toMatchObject({ name: 'GET /', service: 'shop', attributes });
  await receiver.close();
});

it('a receiver that hangs holds a bounded number of spans, and does not keep the process from its end', async () => {
  const receiver = await TraceReceiver.start();
  receiver.mode = 'hangs';
  await traceTo(receiver.endpoint);
  for (let call = 0; call < 5_000; call++) traceOne();
  const before = performance.now();
  await closeTracing();
  expect(performance.now() - before).toBeLessThan(6_000);
  // 2,048 wait, 512 go together, and one batch went on its way before.
  expect(receiver.requests).toBeLessThanOrEqual(5);
  await receiver.close();
}, 30_000);

it('one that is not there costs one warning, and the close of the process no time', async () => {
  await traceTo(`http://127.0.0.1:${await freePort()}`);
  const lost = () => expect(messages()).toEqual(['traces cannot be sent and are dropped']);
  traceOne();
  await eventually(lost, WITHIN);
  traceOne();
  const before = performance.now();
  await closeTracing();
  // Two seconds, with the factor for a busy machine.
  expect(performance.now() - before).toBeLessThan(6_000);
  lost();
}, 30_000);

it('one that takes again costs one line more', async () => {
  const receiver = await TraceReceiver.start();
  receiver.mode = 'refuses';
  await traceTo(receiver.endpoint);
  traceOne();
  await eventually(() => expect(messages()).toHaveLength(1), WITHIN);
  receiver.mode = 'takes';
  traceOne();
  await eventually(() => expect(messages()[1]).toBe('traces are sent again'), WITHIN);
  await receiver.close();
});

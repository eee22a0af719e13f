import { setImmediate as nextTurn } from 'node:timers/promises';
import { freePort } from '@evenkeel/services/free-port';
import { eventually, TraceReceiver } from '../testing';
import { createLogger } from './create-logger';
import * as tracing from './tracing';

const { beginRequest, closeTracing, currentTraceparent, inSpan, isTracing, openTracing, startSpan, traced } = tracing;

const T = '4bf92f3577b34da6a3ce929d0e0e4736';
const S = '00f067aa0ba902b7';
const caller = `00-${T}-${S}-01`;
const WITHIN = { withinMs: 20_000 };

let lines: { message: string; trace_id?: string }[];
const logger = createLogger('shop', {
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) },
});
const messages = () => lines.map(({ message }) => message);
let receiver: TraceReceiver;
const open = (ratio = 1, OTEL_EXPORTER_OTLP_ENDPOINT?: string) =>
  openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT, TRACE_SAMPLE_RATIO: ratio }, 'shop', logger);
const begin = (traceparent?: string | string[]) => beginRequest('GET /', traceparent, { 'http.route': '/' });

beforeEach(async () => {
  lines = [];
  receiver = await TraceReceiver.start();
  await open(0, `${receiver.endpoint}/`);
});
afterEach(async () => {
  await closeTracing();
  await receiver.close();
});

/** The spans that were made, with the last digits of their parents. */
async function sent() {
  await closeTracing();
  return receiver.spans;
}

it.each<[string, string | string[] | undefined, boolean]>([
  ['one whose caller traces', caller, true],
  ['one of a later version, with more behind', `cc-${T}-${S}-01-what-may-come`, true],
  ['one whose caller does not', `00-${T}-${S}-00`, false],
  ['one without a header', undefined, false],
  ['one with two headers', [caller, caller], false],
  ['one in capitals', caller.toUpperCase(), false],
  ['one with a trace of zeros', `00-${'0'.repeat(32)}-${S}-01`, false],
  ['one of a version that cannot be', `ff-${T}-${S}-01`, false],
  ['one of the first version with more behind', `${caller}-more`, false],
  ['one with anything else', 'x'.repeat(10_000), false],
])('of requests %s is traced: %3$s', async (_, traceparent, isTraced) => {
  const span = begin(traceparent);
  span?.end();
  expect(span?.traceparent.includes(T)).toBe(isTraced ? true : undefined);
  if (isTraced) expect(await sent()).toMatchObject([{ name: 'GET /', parentSpanId: S }]);
});

it('of requests whose callers say nothing the ratio is traced', async () => {
  await closeTracing();
  await open(1, receiver.endpoint);
  for (const traceparent of [undefined, 'no traceparent', `00-${T}-${S}-00`]) begin(traceparent)?.end();
  expect(await sent()).toHaveLength(2);
});

it('at the wish of callers at most twenty a second are traced', () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 31, 12));
  const spans = Array.from({ length: 50 }, () => begin(caller));
  now.mockReturnValue(Date.UTC(2026, 0, 31, 12, 0, 1));
  spans.push(begin(caller));
  now.mockRestore();
  const made = spans.map((span) => span !== null);
  for (const span of spans) span?.end();
  expect([made.filter(Boolean).length, made.at(-1)]).toEqual([21, true]);
});

it('without a receiver nothing is traced', async () => {
  await closeTracing();
  await open(1);
  const step = startSpan('relay', { kind: 'producer', parent: caller });
  expect([isTracing(), begin(caller), step]).toEqual([false, null, null]);
  expect(await traced('verify', async () => currentTraceparent())).toBeNull();
});

it('a traced request has its steps as children, also after waiting, and log lines that name the trace', async () => {
  const request = begin(caller)!;
  const [inside, around] = await inSpan(request, async () => {
    await nextTurn();
    logger.child({ part: 'till' }).warn({ items: 1 }, 'inside');
    const step = await traced('verify', async () => {
      await nextTurn();
      return currentTraceparent();
    });
    await expect(traced('claim', () => Promise.reject(new Error('locked')))).rejects.toThrow('locked');
    return [step, currentTraceparent()];
  });
  request.end();
  logger.warn('outside');
  expect(lines.map(({ message, trace_id }) => [message, trace_id])).toEqual([
    ['inside', T],
    ['outside', undefined],
  ]);
  const [verify, claim, root] = await sent();
  expect([inside, around]).toEqual([`00-${T}-${verify!.spanId}-01`, request.traceparent]);
  expect([verify, claim]).toMatchObject([
    { name: 'verify', parentSpanId: root!.spanId, status: { code: 0 } },
    { name: 'claim', parentSpanId: root!.spanId, status: { code: 2 } },
  ]);
});

it('the context is followed until the last traced request has ended, and no longer', async () => {
  const [first, second] = [begin(caller)!, begin(caller)!];
  const asked = inSpan(second, () => () => currentTraceparent());
  await inSpan(second, async () => {
    first.end();
    await nextTurn();
    expect(asked()).toBe(second.traceparent);
    second.end();
    second.end();
    // The rest of the turn still belongs to it.
    expect(asked()).toBe(second.traceparent);
    await nextTurn();
    await nextTurn();
    expect(asked()).toBeNull();
  });
});

it('a step outside of a request has the parent that an event brought, or none at all', async () => {
  startSpan('relay box.filled', { kind: 'producer', parent: caller })?.end();
  startSpan('apply events', { kind: 'consumer', parent: null, links: [caller] })?.end();
  expect(startSpan('relay box.filled', { kind: 'producer', parent: 'broken' })).toBeNull();
  const [relay, apply] = await sent();
  expect(relay).toMatchObject({ name: 'relay box.filled', parentSpanId: S });
  expect(apply).toMatchObject({ name: 'apply events', links: [{ traceId: T, spanId: S }] });
  expect(apply!.parentSpanId).toBeUndefined();
});

describe('the receiver', () => {
  const traceMany = async (spans: number) => {
    await closeTracing();
    await open(1, receiver.endpoint);
    for (let span = 0; span < spans; span++) begin()!.end({ 'http.response.status_code': 200 });
  };

  it('gets what has ended when the process closes, under the name of the process', async () => {
    await traceMany(700);
    expect(await sent()).toHaveLength(700);
    const attributes = { 'http.route': '/', 'http.response.status_code': 200 };
    expect(receiver.spans[0]).toMatchObject({ name: 'GET /', service: 'shop', attributes });
  });

  it('that hangs costs a bounded number of spans, and does not keep the process from its end', async () => {
    receiver.mode = 'hangs';
    await traceMany(5_000);
    const before = performance.now();
    await closeTracing();
    expect(performance.now() - before).toBeLessThan(6_000);
    // 2,048 wait, 512 go together, and one batch went on its way before.
    expect(receiver.requests).toBeLessThanOrEqual(5);
  }, 30_000);

  it('that is not there costs one warning, and the close of the process no time', async () => {
    await closeTracing();
    await open(1, `http://127.0.0.1:${await freePort()}`);
    const lost = () => expect(messages()).toEqual(['traces cannot be sent and are dropped']);
    begin()!.end();
    await eventually(lost, WITHIN);
    begin()!.end();
    const before = performance.now();
    await closeTracing();
    // Two seconds, with the factor for a busy machine.
    expect(performance.now() - before).toBeLessThan(6_000);
    lost();
  }, 30_000);

  it('that takes again costs one line more', async () => {
    receiver.mode = 'refuses';
    await traceMany(1);
    await eventually(() => expect(messages()).toHaveLength(1), WITHIN);
    receiver.mode = 'takes';
    begin()!.end();
    await eventually(() => expect(messages()[1]).toBe('traces are sent again'), WITHIN);
  });
});

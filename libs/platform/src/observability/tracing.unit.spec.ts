import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger } from './create-logger';
import {
  beginRequest,
  closeTracing,
  currentTraceparent,
  inSpan,
  startSpan,
  traced,
  traceWith,
  type SpanSource,
  type SpanStart,
} from './tracing';

interface Made extends SpanStart {
  name: string;
  traceparent: string;
  /** Undefined before its end. */
  failed?: boolean;
}

const made: Made[] = [];
const recording: SpanSource = {
  start(name, start) {
    const traceId = start.parent?.split('-')[1] ?? 'c'.repeat(32);
    const span: Made = { ...start, name, traceparent: `00-${traceId}-${String(made.length + 1).padStart(16, '0')}-01` };
    made.push(span);
    return { traceparent: span.traceparent, end: (_attributes, failed = false) => void (span.failed = failed) };
  },
  close: () => Promise.resolve(),
};

const T = '4bf92f3577b34da6a3ce929d0e0e4736';
const S = '00f067aa0ba902b7';
const caller = `00-${T}-${S}-01`;
const begin = (traceparent?: string | string[]) => beginRequest('GET /', traceparent, {});

let minute = 0;
beforeEach(() => {
  // Traces that callers request are limited by the second: each test has one of its own.
  jest.useFakeTimers({
    now: Date.UTC(2026, 0, 31, 12, minute++),
    doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'],
  });
  made.length = 0;
  traceWith(recording, 0);
});
afterEach(() => {
  jest.useRealTimers();
  return closeTracing();
});

describe('which requests are traced', () => {
  it.each<[string, string | string[] | undefined, string | null | undefined]>([
    ['one whose caller traces', caller, caller],
    ['one of a later version, with more behind', `cc-${T}-${S}-01-what-may-come`, `cc-${T}-${S}-01-what-may-come`],
    ['not one whose caller does not', `00-${T}-${S}-00`, undefined],
    ['not by other flags', `00-${T}-${S}-02`, undefined],
    ['not without a header', undefined, undefined],
    ['not by two headers', [caller, caller], undefined],
    ['not by capitals', caller.toUpperCase(), undefined],
    ['not by a trace of zeros', `00-${'0'.repeat(32)}-${S}-01`, undefined],
    ['not by a step of zeros', `00-${T}-${'0'.repeat(16)}-01`, undefined],
    ['not by a version that cannot be', `ff-${T}-${S}-01`, undefined],
    ['not by a first version with more behind', `${caller}-more`, undefined],
    ['not by anything else', 'x'.repeat(10_000), undefined],
  ])('%s', (_, traceparent, parent) => {
    begin(traceparent)?.end();
    expect(made[0]?.parent).toBe(parent);
  });

  it('by the ratio, those whose caller says nothing', () => {
    traceWith(recording, 1);
    begin()?.end();
    begin('no traceparent')?.end();
    begin(`00-${T}-${S}-00`)?.end();
    expect(made.map(({ parent }) => parent)).toEqual([null, null]);
  });

  it('at most twenty a second at the wish of callers', () => {
    for (let call = 0; call < 50; call++) begin(caller)?.end();
    expect(made).toHaveLength(20);
    jest.advanceTimersByTime(1_000);
    expect(begin(caller)?.end()).toBeUndefined();
    expect(made).toHaveLength(21);
  });

  it('none without a receiver', async () => {
    await closeTracing();
    expect([begin(caller), startSpan('relay', { kind: 'producer', parent: caller })]).toEqual([null, null]);
    expect(await traced('verify', async () => currentTraceparent())).toBeNull();
  });
});

describe('what runs in a traced request', () => {
  it('has its steps as children, also after waiting, and an event is made in the step around it', async () => {
    const request = begin(caller)!;
    const inside = await inSpan(request, async () => {
      await nextTurn();
      const step = await traced('verify', async () => {
        await nextTurn();
        return currentTraceparent();
      });
      return [step, currentTraceparent()];
    });
    request.end();
    const [root, verify] = made as [Made, Made];
    expect([verify.name, verify.parent, verify.failed]).toEqual(['verify', root.traceparent, false]);
    expect(inside).toEqual([verify.traceparent, root.traceparent]);
  });

  it('fails as it would otherwise, and the step says so', async () => {
    const request = begin(caller)!;
    const failing = inSpan(request, () => traced('claim', () => Promise.reject(new Error('locked'))));
    await expect(failing).rejects.toThrow('locked');
    request.end();
    expect(made[1]).toMatchObject({ name: 'claim', failed: true });
  });

  it('writes log lines that name the trace; other lines name none', () => {
    const lines: string[] = [];
    const logger = createLogger('shop', { destination: { write: (line: string) => void lines.push(line) } });
    const request = begin(caller)!;
    inSpan(request, () => logger.child({ part: 'till' }).warn({ items: 1 }, 'inside'));
    request.end();
    logger.warn('outside');
    const [inside, outside] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(inside).toMatchObject({ trace_id: T, items: 1, part: 'till', message: 'inside' });
    expect(outside).not.toHaveProperty('trace_id');
  });

  it('is followed until the last traced request has ended, and no longer', async () => {
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
});

it('a step outside of a request has the parent that an event brought, or none at all', () => {
  startSpan('relay box.filled', { kind: 'producer', parent: caller })?.end();
  startSpan('apply events', { kind: 'consumer', parent: null, links: [caller] })?.end();
  expect(startSpan('relay box.filled', { kind: 'producer', parent: 'broken' })).toBeNull();
  expect(made.map(({ name, parent }) => [name, parent])).toEqual([
    ['relay box.filled', caller],
    ['apply events', null],
  ]);
});

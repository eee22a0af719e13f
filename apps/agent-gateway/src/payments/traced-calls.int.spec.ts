import { randomBytes } from 'node:crypto';
import { closeTracing, createLogger, openTracing } from '@evenkeel/platform/observability';
import { eventually, TraceReceiver, type ReceivedSpan } from '@evenkeel/platform/testing';
import { startGateway, type Gateway } from '../gateway.fixture';

const SENT = { withinMs: 20_000 };
const logger = createLogger('test', { level: 'silent', destination: { write: () => undefined } });

let receiver: TraceReceiver;
let gateway: Gateway;
beforeAll(async () => {
  receiver = await TraceReceiver.start();
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, TRACE_SAMPLE_RATIO: 0 };
  await openTracing(settings, 'gateway', logger);
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
  await closeTracing();
  await receiver.close();
});

const aTrace = () => randomBytes(16).toString('hex');
const headerOf = (traceId: string, flags = '01') => `00-${traceId}-00f067aa0ba902b7-${flags}`;

async function pay(traceparent?: string): Promise<{ status: number; nonce: string }> {
  const payment = await gateway.aBuyer().sign();
  const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
  return { status: (await gateway.pay(payment, { headers })).status, nonce: payment.nonce };
}

/** Of the events of a payment, in the outbox. */
async function traceparentsOf(nonce: string): Promise<(string | null)[]> {
  const rows = await gateway.ledger.dataSource.query<{ traceparent: string | null }[]>(
    `SELECT o.traceparent FROM outbox o JOIN payments p ON o.subject = p.id::text WHERE p.nonce = $1`,
    [nonce.toLowerCase()],
  );
  return rows.map(({ traceparent }) => traceparent);
}

const treeOf = (spans: readonly ReceivedSpan[]) =>
  spans.map(({ name, parentSpanId }) => [name, spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? null]);

it('a paid call whose caller traces it continues the trace, and its event carries it on', async () => {
  const traceId = aTrace();
  const { status, nonce } = await pay(headerOf(traceId));
  expect(status).toBe(200);
  const spans = await eventually(() => {
    expect(receiver.of(traceId)).toHaveLength(5);
    return receiver.of(traceId);
  }, SENT);
  const route = 'POST /agent/v1/habits/analyze';
  expect(new Map(treeOf(spans).map(([name, parent]) => [name, parent]))).toEqual(
    new Map([
      [route, null],
      ['verify', route],
      ['claim', route],
      ['settle', route],
      ['record', route],
    ]),
  );
  const request = spans.find(({ name }) => name === route)!;
  expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', service: 'gateway', status: { code: 0 } });
  expect(request.attributes).toMatchObject({
    'http.route': '/agent/v1/habits/analyze',
    'http.response.status_code': 200,
  });
  expect(await traceparentsOf(nonce)).toEqual([`00-${traceId}-${request.spanId}-01`]);
  // The facilitator is somebody else: it does not learn of traces.
  expect(JSON.stringify(spans)).not.toContain(nonce);
});

it('a call that is not traced pays for nothing: its event carries nothing, and nothing is sent', async () => {
  const before = receiver.spans.length;
  for (const traceparent of [undefined, headerOf(aTrace(), '00'), headerOf('0'.repeat(32))]) {
    const { status, nonce } = await pay(traceparent);
    expect([status, await traceparentsOf(nonce)]).toEqual([200, [null]]);
  }
  // Spans are sent in their order: after one that is traced, none of a call before it can follow.
  const traceId = aTrace();
  await gateway.send('/agent/v1/pricing', { headers: { traceparent: headerOf(traceId) } });
  await eventually(() => expect(receiver.of(traceId)).toHaveLength(1), SENT);
  expect(receiver.spans.slice(before)).toEqual(receiver.of(traceId));
});

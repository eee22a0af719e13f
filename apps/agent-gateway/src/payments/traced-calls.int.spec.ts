import { randomBytes } from 'node:crypto';
import { closeTracing, createLogger, openTracing } from '@evenkeel/platform/observability';
import { eventually, TraceReceiver } from '@evenkeel/platform/testing';
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
const headerOf = (traceId: string, flags = '01') => ({ traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` });

/** @returns the trace of the event of a paid call, in the outbox */
async function pay(headers: Record<string, string> = {}) {
  const { header, nonce } = await gateway.aBuyer().sign();
  expect((await gateway.pay(header, { headers })).status).toBe(200);
  const [row] = await gateway.ledger.dataSource.query<[{ traceparent: string | null }]>(
    `SELECT o.traceparent FROM outbox o JOIN payments p ON o.subject = p.id::text WHERE p.nonce = $1`,
    [nonce.toLowerCase()],
  );
  return { nonce, traceparent: row.traceparent };
}

it('a paid call whose caller traces it continues the trace, and its event carries it on', async () => {
  const traceId = aTrace();
  const { nonce, traceparent } = await pay(headerOf(traceId));
  await eventually(() => expect(receiver.of(traceId)).toHaveLength(5), SENT);
  const spans = receiver.of(traceId);
  const route = 'POST /agent/v1/habits/analyze';
  const request = spans.find(({ name }) => name === route)!;
  expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', service: 'gateway', status: { code: 0 } });
  const attributes = { 'http.route': '/agent/v1/habits/analyze', 'http.response.status_code': 200 };
  expect(request.attributes).toMatchObject(attributes);
  const children = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId).map(({ name }) => name);
  expect(children.toSorted()).toEqual(['claim', 'record', 'settle', 'verify']);
  expect(traceparent).toBe(`00-${traceId}-${request.spanId}-01`);
  // The facilitator is somebody else: it does not learn of traces.
  expect(JSON.stringify(spans)).not.toContain(nonce);
});

it('a call that is not traced pays for nothing: its event carries nothing, and nothing is sent', async () => {
  const before = receiver.spans.length;
  for (const headers of [{}, headerOf(aTrace(), '00'), headerOf('0'.repeat(32))]) {
    expect((await pay(headers)).traceparent).toBeNull();
  }
  // Spans are sent in their order: after one that is traced, none of a call before it can follow.
  const traceId = aTrace();
  await gateway.send('/agent/v1/pricing', { headers: headerOf(traceId) });
  await eventually(() => expect(receiver.of(traceId)).toHaveLength(1), SENT);
  expect(receiver.spans.slice(before)).toEqual(receiver.of(traceId));
});

import { randomBytes } from 'node:crypto';
import { eventually, TraceReceiver, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, type RunningKafka } from '@evenkeel/services';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { aPaidRequest, send } from './paid-request.fixture';
import { createTopics, databaseOfSuite, settingsOf, startBoth, type Started } from './programs.fixture';

const PATIENT = { withinMs: 90_000 };

let kafka: RunningKafka;
let traces: TraceReceiver;
let ledger: TestDatabase;
let projection: TestDatabase;
let gateway: Started;

beforeAll(async () => {
  const made = [
    startKafka(),
    TraceReceiver.start(),
    databaseOfSuite('agent-gateway'),
    databaseOfSuite('reporting'),
  ] as const;
  [kafka, traces, ledger, projection] = await Promise.all(made);
  await createTopics(kafka.brokers);
  // Only what a caller asks for is traced.
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint, TRACE_SAMPLE_RATIO: '0' };
  const services = { KAFKA_BROKERS: kafka.brokers, ...tracing };
  const { settings } = await FacilitatorProgram.start();
  // In pairs: programs that start together on two cores make each other miss their deadlines.
  gateway = await startBoth('agent-gateway', settingsOf('agent-gateway', ledger, { ...services, ...settings }));
  await startBoth('reporting', settingsOf('reporting', projection, services));
}, 240_000);
afterAll(() => Promise.all([kafka?.stop(), traces?.close()]), 60_000);

it('a paid call that its caller traces is one tree over the processes, from its request to the row of reporting', async () => {
  expect((await send(gateway.url, await aPaidRequest())).status).toBe(200);
  const traceId = randomBytes(16).toString('hex');
  const request = await aPaidRequest();
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  expect((await send(gateway.url, { ...request, headers: { ...request.headers, traceparent } })).status).toBe(200);
  await eventually(() => expect(traces.of(traceId)).toHaveLength(7), PATIENT);
  const spans = traces.of(traceId);
  const root = spans.find(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7')!;
  expect([root.service, root.name]).toEqual(['agent-gateway', `POST ${request.path}`]);
  const steps = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  expect(steps.map(({ service, name }) => `${service}: ${name}`).sort()).toEqual([
    'agent-gateway-worker: relay payment.settled',
    'agent-gateway: claim',
    'agent-gateway: record',
    'agent-gateway: settle',
    'agent-gateway: verify',
    'reporting-worker: apply payment.settled',
  ]);
  // The transaction of reporting may hold events of many traces, so it is a trace of its own, linked to each.
  const batch = traces.spans.find(({ links }) => links.some((link) => link.traceId === traceId));
  expect(batch).toMatchObject({ name: 'apply events', service: 'reporting-worker', links: [{ spanId: root.spanId }] });
  // The call before it and its event were not traced.
  expect(new Set(traces.spans.map((span) => span.traceId))).toEqual(new Set([traceId, batch!.traceId]));
}, 120_000);

import { randomBytes } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { eventually, TraceReceiver, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, type RunningKafka } from '@evenkeel/services';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { aPaidRequest, repeatUntil, send } from './paid-request.fixture';
import {
  createTopics,
  databaseOf,
  Program,
  settingsOf,
  startBoth,
  stopPrograms,
  type Started,
} from './programs.fixture';

const PATIENT = { withinMs: 90_000 };

let kafka: RunningKafka;
let traces: TraceReceiver;
let ledger: TestDatabase;
let projection: TestDatabase;
let gateway: Started;
let reporting: Record<string, string>;

beforeAll(async () => {
  const made = [startKafka(), TraceReceiver.start(), databaseOf('agent-gateway'), databaseOf('reporting')] as const;
  [kafka, traces, ledger, projection] = await Promise.all(made);
  await createTopics(kafka.brokers);
  // Only what a caller asks for is traced.
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint, TRACE_SAMPLE_RATIO: '0' };
  const services = { KAFKA_BROKERS: kafka.brokers, ...tracing };
  const { settings } = await FacilitatorProgram.start();
  reporting = settingsOf('reporting', projection, services);
  // In pairs: programs that start together on two cores make each other miss their deadlines.
  gateway = await startBoth('agent-gateway', settingsOf('agent-gateway', ledger, { ...services, ...settings }));
  await startBoth('reporting', reporting);
}, 240_000);
afterAll(async () => {
  await stopPrograms();
  await Promise.all([kafka?.stop(), traces?.close(), ledger?.drop(), projection?.drop()]);
}, 60_000);

it('what four processes wrote is rebuilt while all of them run', async () => {
  for (const operation of ['analyze', 'plan', 'insights', 'recommend', 'reliability'] as const) {
    await repeatUntil(gateway.url, await aPaidRequest({ operation }), ({ status }) => status === 200);
  }
  const settled = `SELECT id, amount_atomic, state AS status FROM audit.payments WHERE state = 'settled' ORDER BY id`;
  const theirs = 'SELECT payment_id AS id, amount_atomic, status FROM audit.payments ORDER BY payment_id';
  await eventually(async () => {
    const payments = await ledger.dataSource.query<unknown[]>(settled);
    expect(payments).toHaveLength(5);
    expect(await projection.dataSource.query(theirs)).toEqual(payments);
  }, PATIENT);
  const totals = () => projection.dataSource.query<unknown[]>('SELECT * FROM daily_totals ORDER BY day, endpoint');
  const before = await totals();
  await projection.dataSource.query('UPDATE daily_totals SET gross_micros = 0');
  const command = Program.script('events:rebuild', reporting, ['reporting']);
  expect([(await command.exit).code, command.output]).toEqual([0, expect.stringContaining('Rebuilt from 5 events.')]);
  expect(await totals()).toEqual(before);
  expect(await audit(projection.dataSource)).toEqual([]);
}, 180_000);

it('a paid call that its caller traces is one tree over the processes, from its request to the row of reporting', async () => {
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
  // Five calls and their events before it were not traced.
  expect(new Set(traces.spans.map((span) => span.traceId))).toEqual(new Set([traceId, batch!.traceId]));
}, 120_000);

import { randomBytes } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import { eventually, TraceReceiver, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, startRedis, type RunningKafka, type RunningRedis } from '@evenkeel/services';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, startWorker, type Gateway } from './gateway-programs.fixture';
import { aPaidRequest, aWallet } from './paid-request.fixture';
import { Program, stopPrograms } from './program.fixture';
import {
  askReporting,
  reportingDatabase,
  reportingEnv,
  startReporting,
  startReportingWorker,
} from './reporting-programs.fixture';
import { send } from './send.fixture';

const PATIENT = { withinMs: 90_000 };

let kafka: RunningKafka;
let redis: RunningRedis;
let traces: TraceReceiver;
let ledger: TestDatabase;
let projection: TestDatabase;
let gateway: Gateway;
let reporting: { url: string };
let reportingSettings: NodeJS.ProcessEnv;

beforeAll(async () => {
  const [facilitator, ...databases] = await Promise.all([
    FacilitatorProgram.start(),
    gatewayDatabase(),
    reportingDatabase(),
  ]);
  [ledger, projection] = databases;
  [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
  traces = await TraceReceiver.start();
  // Only what a caller asks for is traced.
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint, TRACE_SAMPLE_RATIO: '0' };
  const services = { KAFKA_BROKERS: kafka.brokers, REDIS_URL: redis.url, ...tracing };
  expect(await Program.script('topics:create', services).exit).toEqual({ code: 0, signal: null });
  const gatewaySettings = { ...gatewayEnv(ledger, facilitator), ...services };
  reportingSettings = { ...reportingEnv(projection), ...services };
  // In pairs: programs that start together on two cores make each other miss their deadlines.
  [gateway] = await Promise.all([startGateway(gatewaySettings), startWorker(gatewaySettings)]);
  [reporting] = await Promise.all([startReporting(reportingSettings), startReportingWorker(reportingSettings)]);
}, 240_000);

afterAll(async () => {
  await stopPrograms();
  await Promise.all([kafka?.stop(), redis?.stop(), traces?.close(), ledger?.drop(), projection?.drop()]);
}, 60_000);

const summary = () => askReporting<{ settlement: { settled: number } }>(reporting.url, 'summary');

async function buy(count: number): Promise<void> {
  for (let call = 0; call < count; call++) {
    const { operation } = PAID_ENDPOINTS[call % PAID_ENDPOINTS.length]!;
    const wallet = aWallet();
    // A deadline missed on a busy machine charged nothing.
    await eventually(
      async () => (await send(gateway.url, await aPaidRequest({ operation, wallet }))).status === 200,
      PATIENT,
    );
  }
}

/** The same payments, row by row. */
async function expectSamePayments(): Promise<void> {
  const ours = `SELECT payment_id AS id, amount_atomic, status FROM audit.payments ORDER BY payment_id`;
  const theirs = `SELECT id, amount_atomic, state AS status FROM audit.payments ORDER BY id`;
  expect(await projection.dataSource.query(ours)).toEqual(await ledger.dataSource.query(theirs));
}

it('what four processes wrote is rebuilt while all of them run', async () => {
  await buy(5);
  await eventually(async () => expect((await summary()).settlement.settled).toBe(5), PATIENT);
  await expectSamePayments();
  const before = await projection.dataSource.query('SELECT * FROM daily_totals ORDER BY day, endpoint');
  await projection.dataSource.query('UPDATE daily_totals SET gross_micros = 0');
  const command = Program.script('events:rebuild', reportingSettings, ['reporting']);
  expect([(await command.exit).code, command.output]).toEqual([0, expect.stringContaining('Rebuilt from 5 events.')]);
  expect(await projection.dataSource.query('SELECT * FROM daily_totals ORDER BY day, endpoint')).toEqual(before);
  expect(await audit(projection.dataSource)).toEqual([]);
}, 120_000);

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

import { randomBytes } from 'node:crypto';
import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { audit } from '@evenkeel/ops/audit';
import { eventually, TraceReceiver, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, startRedis, type RunningKafka, type RunningRedis } from '@evenkeel/services';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, startWorker, type Gateway } from './gateway-programs.fixture';
import { OperatorPage } from './operator-page.fixture';
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

/** Operators are promised two seconds; a loaded machine gets three times that. */
const SEEN_WITHIN_MS = 3 * 2_000;
const PATIENT = { withinMs: 90_000 };

interface Summary {
  today: { paid_calls: number; unique_payers: number; gross_revenue: { usd_exact: string } };
  settlement: { settled: number };
  lag_seconds: number;
}

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

const summary = () => askReporting<Summary>(reporting.url, 'summary');

async function buy(count: number): Promise<number> {
  let spentMicros = 0;
  for (let call = 0; call < count; call++) {
    const { operation, priceMicros } = PAID_ENDPOINTS[call % PAID_ENDPOINTS.length]!;
    // A deadline missed on a busy machine charged nothing.
    const wallet = aWallet();
    await eventually(
      async () => (await send(gateway.url, await aPaidRequest({ operation, wallet }))).status === 200,
      PATIENT,
    );
    spentMicros += priceMicros;
  }
  return spentMicros;
}

/** The same payments, row by row. */
async function expectSamePayments(): Promise<void> {
  const ours = `SELECT payment_id AS id, amount_atomic, status FROM audit.payments ORDER BY payment_id`;
  const theirs = `SELECT id, amount_atomic, state AS status FROM audit.payments ORDER BY id`;
  expect(await projection.dataSource.query(ours)).toEqual(await ledger.dataSource.query(theirs));
}

it('four processes: a paid call is in the answers of operators within moments', async () => {
  // The first events find a group that is still being formed.
  await eventually(async () => (await summary()).lag_seconds === 0, PATIENT);
  const spentMicros = await buy(5);
  await eventually(
    async () => {
      const { today, settlement } = await summary();
      expect(settlement.settled).toBe(5);
      expect(today).toMatchObject({ paid_calls: 5, unique_payers: 5 });
      expect(today.gross_revenue.usd_exact).toBe((spentMicros / 1_000_000).toFixed(6));
    },
    { withinMs: SEEN_WITHIN_MS },
  );
  await eventually(async () => (await summary()).lag_seconds === 0, { withinMs: SEEN_WITHIN_MS });
  await expectSamePayments();
  expect(await audit(projection.dataSource)).toEqual([]);
}, 120_000);

it('is rebuilt while all of them run', async () => {
  const before = await projection.dataSource.query('SELECT * FROM daily_totals ORDER BY day, endpoint');
  await projection.dataSource.query('UPDATE daily_totals SET gross_micros = 0');
  const command = Program.script('events:rebuild', reportingSettings, ['reporting']);
  expect([(await command.exit).code, command.output]).toEqual([0, expect.stringContaining('Rebuilt from 5 events.')]);
  expect(await projection.dataSource.query('SELECT * FROM daily_totals ORDER BY day, endpoint')).toEqual(before);
  expect(await audit(projection.dataSource)).toEqual([]);
}, 120_000);

it('is on the page of the operator within moments', async () => {
  const operator = await OperatorPage.open(reporting.url);
  await operator.signIn();
  await operator.page.getByRole('status').getByText('All 5 payments settled.').waitFor();
  const request = await aPaidRequest();
  expect((await send(gateway.url, request)).status).toBe(200);
  // The questions of one load are answered one by one: a line may be older than the figure above it.
  await eventually(
    async () => {
      await operator.refresh();
      expect((await operator.payers())[0]).toBe(request.payer);
      expect(await operator.page.getByRole('status').innerText()).toBe('All 6 payments settled.');
    },
    { withinMs: SEEN_WITHIN_MS },
  );
  await operator.close();
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

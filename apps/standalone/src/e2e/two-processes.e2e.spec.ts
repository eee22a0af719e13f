import { PAID_ENDPOINTS, PaymentSettled } from '@evenkeel/contracts';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, startRedis, type RunningKafka, type RunningRedis } from '@evenkeel/services';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { gatewayDatabase, gatewayEnv, startGateway, startWorker, type Gateway } from './gateway-programs.fixture';
import { aPaidRequest, aWallet } from './paid-request.fixture';
import { Program, stopPrograms } from './program.fixture';
import { send } from './send.fixture';
import { expectHeartbeats, readStream } from './stream.fixture';

const SEEN_WITHIN_MS = 60_000;
const { operation, priceMicros } = PAID_ENDPOINTS[0]!;

let kafka: RunningKafka;
let redis: RunningRedis;
let database: TestDatabase;
let gateway: Gateway;

beforeAll(async () => {
  const [facilitator, ledger] = await Promise.all([FacilitatorProgram.start(), gatewayDatabase()]);
  [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
  database = ledger;
  const services = { KAFKA_BROKERS: kafka.brokers, REDIS_URL: redis.url };
  const created = Program.script('topics:create', services);
  expect(await created.exit).toEqual({ code: 0, signal: null });
  const env = { ...gatewayEnv(database, facilitator), ...services };
  [gateway] = await Promise.all([startGateway(env), startWorker(env)]);
}, 180_000);

afterAll(async () => {
  await stopPrograms();
  await Promise.all([kafka?.stop(), redis?.stop(), database?.drop()]);
}, 60_000);

it('a payment to the gateway becomes an event of the worker that any client can read', async () => {
  const wallet = aWallet();
  const paid = await send(gateway.url, await aPaidRequest({ operation, wallet }));
  expect(paid.status).toBe(200);
  const [event, ...more] = await eventually(
    async () => {
      const { events, heartbeats } = await readStream(kafka.brokers, PaymentSettled.stream);
      expect(events).not.toEqual([]);
      expectHeartbeats(heartbeats, '/agent-gateway');
      return events;
    },
    { withinMs: SEEN_WITHIN_MS },
  );
  expect(more).toEqual([]);
  const { data } = event!;
  expect(event!.headers).toMatchObject({
    'content-type': 'application/json',
    ce_specversion: '1.0',
    ce_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    ce_type: PaymentSettled.type,
    ce_source: '/agent-gateway',
    ce_subject: data['paymentId'],
    ce_time: data['settledAt'],
    ce_partitionkey: wallet.address.toLowerCase(),
    ce_sequence: '1',
  });
  expect(data).toMatchObject({
    wallet: wallet.address.toLowerCase(),
    amountMicros: priceMicros,
    transactionHash: paid.receipt!.transaction,
  });
}, 120_000);

import { setTimeout as elapse } from 'node:timers/promises';
import { audit } from '@evenkeel/ops/audit';
import { EVENT_HEADERS, isInstant, PAYMENTS_STREAM, PaymentSettled, schemaOf } from '@evenkeel/contracts';
import { compileValidator } from '@evenkeel/platform/validation';
import { CONSUMER_CRASH_POINTS, RELAY_CRASH_POINTS } from '@evenkeel/platform/messaging';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, type RunningKafka } from '@evenkeel/services';
import { announcePayments, outboxOf, someWallets } from './announced-payments.fixture';
import { FacilitatorProgram } from './facilitator-program.fixture';
import {
  gatewayDatabase,
  gatewayEnv,
  PAY_TO,
  startGateway,
  startWorker,
  type Gateway,
} from './gateway-programs.fixture';
import { readTopic } from './kcat.fixture';
import { aPaidRequest, aWallet } from './paid-request.fixture';
import { PaymentsReader } from './payments-reader-program.fixture';
import { Program, stopPrograms } from './program.fixture';
import { send } from './send.fixture';
import { expectHeartbeats, readStream } from './stream.fixture';

const PATIENT = { withinMs: 60_000 };
/** A killed reader stays a member of its group until its session of 30 s is over. */
const REJOINED = { withinMs: 120_000 };
/** Longer than a client tries one publication: eight times, at most 5 s apart. */
const KAFKA_GONE_MS = 30_000;
/** Longer than the limit: a test of its own checks the limit. */
const SLOWEST_CATCH_UP_MS = 6 * 60_000;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

jest.setTimeout(300_000);

let kafka: RunningKafka;
let outbox: TestDatabase;
/** Of a gateway that sells calls, beside the one whose payments are written by the test. */
let sold: TestDatabase;
let gateway: Gateway;
let env: NodeJS.ProcessEnv;
/** Of the relay that runs now. */
let worker: Program;

const relayed = new Map(RELAY_CRASH_POINTS.map((point) => [point, someWallets(5)]));
let reader: PaymentsReader;
const killedReaders = new Map<string, PaymentsReader>();
const readByKilled = someWallets(5);

beforeAll(async () => {
  [kafka, outbox, sold] = await Promise.all([startKafka(), gatewayDatabase(), gatewayDatabase()]);
  env = {
    DATABASE_URL: outbox.url,
    KAFKA_BROKERS: kafka.brokers,
    WORKER_INTERNAL_PORT: '0',
    X402_PAY_TO: PAY_TO,
    ANSWER_KEYS: `e2e:${Buffer.alloc(32, 7).toString('base64')}`,
    RECEIPT_KEYS: `e2e:${Buffer.alloc(32, 9).toString('base64')}`,
  };
  const topics = Program.script('topics:create', env);
  expect(await topics.exit).toEqual({ code: 0, signal: null });
  reader = await PaymentsReader.open(kafka.brokers, 'reader');
  const [reading] = await Promise.all([reader.start(), crashRelays()]);
  await crashReaders();
  await reading.stop();
});

afterAll(async () => {
  await stopPrograms();
  const readers = [reader, ...killedReaders.values()];
  await Promise.all([kafka?.stop(), outbox?.drop(), sold?.drop(), ...readers.map((one) => one?.close())]);
});

/** One dies at each point; the last one goes on. */
async function crashRelays(): Promise<void> {
  for (const [point, wallets] of relayed) {
    const doomed = Program.start('apps/agent-gateway/src/worker.ts', { ...env, CRASH_AT: `agent-gateway:${point}` });
    await announcePayments(outbox, wallets, 4);
    expect((await doomed.exit).signal).toBe('SIGKILL');
  }
  worker = await startWorker(env);
}

/** With a worker of its own, and a facilitator. */
async function startSeller(): Promise<void> {
  const seller = { ...gatewayEnv(sold, await FacilitatorProgram.start()), KAFKA_BROKERS: kafka.brokers };
  [gateway] = await Promise.all([startGateway(seller), startWorker(seller)]);
}

/** All at once: each one that is started again waits for the end of the session that died. */
async function crashReaders(): Promise<void> {
  await announcePayments(outbox, readByKilled, 4);
  await Promise.all(
    CONSUMER_CRASH_POINTS.map(async (point) => {
      const killed = await PaymentsReader.open(kafka.brokers, `killed-at-${point}`);
      killedReaders.set(point, killed);
      const doomed = await killed.start({ CRASH_AT: point });
      expect((await doomed.exit).signal).toBe('SIGKILL');
      await killed.start();
    }),
  );
}

async function expectAppliedOnceInOrder(by: PaymentsReader, wallets: readonly string[], rounds: number): Promise<void> {
  for (const wallet of wallets) expect(await by.sequencesOf(wallet)).toEqual(upTo(rounds));
}

const published = async (): Promise<number> => (await outboxOf(outbox)).published;

describe('a relay killed', () => {
  it.each([...relayed])('at %s loses nothing, and nothing is applied twice', async (_point, wallets) => {
    await eventually(() => expectAppliedOnceInOrder(reader, wallets, 4), PATIENT);
  });
});

describe('an event that a reader cannot apply', () => {
  it('waits with those of its wallet while the rest flows, and npm run events:replay drains both', async () => {
    const [poisoned, healthy] = someWallets(2) as [string, string];
    await reader.poison(poisoned);
    const reading = await reader.start();
    await announcePayments(outbox, [poisoned, healthy], 3);
    await eventually(() => expectAppliedOnceInOrder(reader, [healthy], 3), PATIENT);
    await eventually(async () => expect(await reader.parkedOf(poisoned)).toEqual([1, 2, 3]), PATIENT);
    const letters = await readTopic(kafka.brokers, `${PAYMENTS_STREAM}.dlq`);
    const failure = { dlq_consumer: 'reader', dlq_error: 'Error: this wallet cannot be written down' };
    expect(letters).toMatchObject([{ key: poisoned, headers: { ce_sequence: '1', ...failure } }]);

    const replay = { DATABASE_URL: reader.database.url };
    const inVain = Program.script('events:replay', replay, ['reader']);
    expect((await inVain.exit).code).toBe(1);
    expect(inVain.output).toContain(`${poisoned}  3 events  ${failure.dlq_error}`);

    await reader.cure();
    const cured = Program.script('events:replay', replay, ['reader']);
    expect([await cured.exit, cured.output]).toEqual([{ code: 0, signal: null }, 'Nothing is parked.\n']);
    await announcePayments(outbox, [poisoned], 1);
    await eventually(() => expectAppliedOnceInOrder(reader, [poisoned], 4), PATIENT);
    await reading.stop();
  });
});

describe('a reader killed', () => {
  it.each(CONSUMER_CRASH_POINTS)('at %s loses nothing, and nothing is applied twice', async (point) => {
    await eventually(() => expectAppliedOnceInOrder(killedReaders.get(point)!, readByKilled, 4), REJOINED);
  });
});

const PAYMENTS = sized(3_000, 10_000);
const WALLETS = 100;
const EACH = PAYMENTS / WALLETS;
const EACH_SIXTH = Math.round(EACH / 6);
const CALLS = 5;

describe(`${PAYMENTS} payments, the relay killed at one third, reader and Kafka at one half, Kafka for 30 s`, () => {
  const wallets = someWallets(WALLETS);
  const buyer = aWallet();
  const buyerKey = buyer.address.toLowerCase();
  const paid: number[] = [];
  let waitedForKafka: number;
  let caughtUpMs: number;

  /** Over the whole time for which Kafka is gone. */
  async function payMeanwhile(): Promise<void> {
    for (let call = 0; call < CALLS; call++) {
      paid.push((await send(gateway.url, await aPaidRequest({ wallet: buyer }))).status);
      await elapse(KAFKA_GONE_MS / CALLS);
    }
    waitedForKafka = (await outboxOf(sold)).waiting;
  }

  beforeAll(async () => {
    await startSeller();
    const [before, applied] = await Promise.all([published(), reader.count()]);
    const reading = await reader.start();
    const publishedAtLeast = (count: number) =>
      eventually(async () => expect((await published()) - before).toBeGreaterThanOrEqual(count), PATIENT);

    for (let part = 0; part < 2; part++) await announcePayments(outbox, wallets, EACH_SIXTH);
    await publishedAtLeast(0.3 * PAYMENTS);
    const rest = announcePayments(outbox, wallets, EACH - 2 * EACH_SIXTH);
    worker.kill('SIGKILL');
    await Promise.all([worker.exit, rest]);
    worker = await startWorker(env);
    await publishedAtLeast(0.5 * PAYMENTS);
    reading.kill('SIGKILL');
    await kafka.kill();
    await payMeanwhile();
    expect((await outboxOf(outbox)).waiting).toBeGreaterThan(0);
    await Promise.all([kafka.restart(), reader.start()]);
    const began = performance.now();
    await eventually(async () => expect(await reader.count()).toBeGreaterThanOrEqual(applied + PAYMENTS + CALLS), {
      withinMs: SLOWEST_CATCH_UP_MS,
    });
    caughtUpMs = performance.now() - began;
  }, 600_000);

  it('lose none and apply none twice, in the order of each wallet', async () => {
    await expectAppliedOnceInOrder(reader, wallets, EACH);
    expect((await outboxOf(outbox)).waiting).toBe(0);
  });

  it('find calls paid as ever while Kafka is gone, and their events follow in order', async () => {
    expect(paid).toEqual(Array.from({ length: CALLS }, () => 200));
    expect(waitedForKafka).toBe(CALLS);
    const events = (await readStream(kafka.brokers, PAYMENTS_STREAM)).events.filter(({ key }) => key === buyerKey);
    const first = [...new Map(events.map((event) => [event.headers[EVENT_HEADERS.id], event])).values()];
    expect(first.map(({ headers }) => headers['ce_sequence'])).toEqual(upTo(CALLS).map(String));
    await expectAppliedOnceInOrder(reader, [buyerKey], CALLS);
    expect(await audit(sold.dataSource)).toEqual([]);
  });

  it('are caught up in under a minute, on a machine with other work in three', () => {
    expect(caughtUpMs).toBeLessThan(3 * 60_000);
  });

  it('are CloudEvents to a reader of another make', async () => {
    const { events, heartbeats } = await readStream(kafka.brokers, PAYMENTS_STREAM);
    const ours = events.filter(({ key }) => wallets.includes(key));
    expect(new Set(ours.map(({ headers }) => headers[EVENT_HEADERS.id])).size).toBe(PAYMENTS);
    const fits = compileValidator(schemaOf(PaymentSettled, { closed: true }));
    for (const { key, headers, data } of events) {
      expect(headers).toEqual({
        'content-type': 'application/json',
        ce_specversion: '1.0',
        ce_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        ce_type: 'payment.settled',
        ce_source: '/agent-gateway',
        ce_subject: data['paymentId'],
        ce_time: expect.stringMatching(/Z$/),
        ce_partitionkey: key,
        ce_sequence: expect.stringMatching(/^[1-9]\d*$/),
      });
      expect([isInstant(headers['ce_time']), data['wallet'], fits(data)]).toEqual([true, key, true]);
    }
    expectHeartbeats(heartbeats, '/agent-gateway');
  });
});

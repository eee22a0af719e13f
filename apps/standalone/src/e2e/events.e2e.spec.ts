import { setTimeout as elapse } from 'node:timers/promises';
import { audit } from '@evenkeel/ops/audit';
import {
  isInstant,
  PAYMENTS_STREAM,
  PaymentSettled,
  schemaOf,
  STREAM_PARTITIONS,
  StreamHeartbeat,
} from '@evenkeel/contracts';
import { compileValidator } from '@evenkeel/platform/validation';
import { RELAY_CRASH_POINTS } from '@evenkeel/platform/messaging';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, type RunningKafka } from '@evenkeel/services';
import { announcePayments, outboxOf, someWallets } from './announced-payments.fixture';
import { FacilitatorProgram } from './facilitator-program.fixture';
import { once, readTopic } from './kcat.fixture';
import { aPaidRequest, aWallet, send } from './paid-request.fixture';
import {
  createTopics,
  databaseOf,
  Program,
  settingsOf,
  start,
  startBoth,
  stopPrograms,
  type Started,
} from './programs.fixture';

/** A killed reader stays a member of its group until its session of 30 s is over. */
const PATIENT = { withinMs: 120_000 };
/** Longer than a client tries one publication: eight times, at most 5 s apart. */
const KAFKA_GONE_MS = 30_000;
/** Longer than the limit, which is checked apart. */
const SLOWEST_CATCH_UP_MS = 6 * 60_000;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

jest.setTimeout(600_000);

let kafka: RunningKafka;
let outbox: TestDatabase;
let projection: TestDatabase;
/** Of a gateway that sells calls, beside the one whose payments are written by the test. */
let sold: TestDatabase;
let gateway: Started;
let reading: Record<string, string>;

beforeAll(async () => {
  [kafka, outbox, sold, projection] = await Promise.all([
    startKafka(),
    databaseOf('agent-gateway'),
    databaseOf('agent-gateway'),
    databaseOf('reporting'),
  ]);
  await createTopics(kafka.brokers);
  reading = settingsOf('reporting', projection, { KAFKA_BROKERS: kafka.brokers });
});
afterAll(async () => {
  await stopPrograms();
  await Promise.all([kafka?.stop(), outbox?.drop(), sold?.drop(), projection?.drop()]);
});

const startRelay = (more: object = {}) =>
  start('agent-gateway', settingsOf('agent-gateway', outbox, { KAFKA_BROKERS: kafka.brokers, ...more }), 'worker');
const startReader = async () => (await start('reporting', reading, 'worker')).program;
const published = async () => (await outboxOf(outbox)).published;

/** In the topic in the order of each wallet, and in the books of reporting once. */
async function expectEachOnce(wallets: readonly string[], rounds: number): Promise<void> {
  const seen = once(await readTopic(kafka.brokers, PAYMENTS_STREAM));
  for (const wallet of wallets) {
    const theirs = seen.filter(({ key }) => key === wallet);
    expect(theirs.map(({ headers }) => Number(headers['ce_sequence']))).toEqual(upTo(rounds));
  }
  await eventually(async () => {
    const [row] = await projection.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::integer AS count FROM payments WHERE wallet = ANY($1)',
      [wallets],
    );
    expect(row.count).toBe(wallets.length * rounds);
  }, PATIENT);
  expect(await audit(projection.dataSource)).toEqual([]);
}

it('a relay killed at any point loses nothing, and nothing is applied twice', async () => {
  const wallets = someWallets(5);
  for (const at of RELAY_CRASH_POINTS) {
    const env = settingsOf('agent-gateway', outbox, { KAFKA_BROKERS: kafka.brokers, CRASH_AT: `agent-gateway:${at}` });
    const doomed = Program.service('apps/agent-gateway/src/worker.ts', env);
    await announcePayments(outbox, wallets, 4);
    expect((await doomed.exit).signal).toBe('SIGKILL');
  }
  const [{ program: relay }, reader] = [await startRelay(), await startReader()];
  await eventually(async () => expect((await outboxOf(outbox)).waiting).toBe(0), PATIENT);
  await expectEachOnce(wallets, 4 * RELAY_CRASH_POINTS.length);
  await Promise.all([relay.stop(), reader.stop()]);
});

it('an event that a reader cannot apply waits with those of its wallet, and npm run events:replay drains both', async () => {
  const [poisoned, healthy] = someWallets(2) as [string, string];
  await projection.dataSource.query(`ALTER TABLE payments ADD CONSTRAINT poisoned CHECK (wallet <> '${poisoned}')`);
  const [{ program: relay }, reader] = [await startRelay(), await startReader()];
  await announcePayments(outbox, [poisoned, healthy], 3);
  const parked = async () => {
    const rows = await projection.dataSource.query<{ sequence: number }[]>(
      'SELECT aggregate_seq::integer AS sequence FROM parked WHERE aggregate = $1 ORDER BY aggregate_seq',
      [poisoned],
    );
    return rows.map(({ sequence }) => sequence);
  };
  await eventually(async () => expect(await parked()).toEqual([1, 2, 3]), PATIENT);
  await expectEachOnce([healthy], 3);
  const letters = await readTopic(kafka.brokers, `${PAYMENTS_STREAM}.dlq`);
  expect(letters).toMatchObject([
    { key: poisoned, headers: { ce_sequence: '1', dlq_error: expect.stringContaining('poisoned') } },
  ]);

  const inVain = Program.script('events:replay', reading, ['reporting']);
  expect((await inVain.exit).code).toBe(1);
  expect(inVain.output).toContain(`${poisoned}  3 events  `);
  await projection.dataSource.query('ALTER TABLE payments DROP CONSTRAINT poisoned');
  const cured = Program.script('events:replay', reading, ['reporting']);
  expect([await cured.exit, cured.output]).toEqual([{ code: 0, signal: null }, 'Nothing is parked.\n']);
  await announcePayments(outbox, [poisoned], 1);
  await eventually(async () => expect((await outboxOf(outbox)).waiting).toBe(0), PATIENT);
  await expectEachOnce([poisoned], 4);
  await Promise.all([relay.stop(), reader.stop()]);
});

const PAYMENTS = sized(3_000, 10_000);
const WALLETS = 100;
const EACH = PAYMENTS / WALLETS;
const CALLS = 5;

describe(`${PAYMENTS} payments, the relay killed at one third, reader and Kafka at one half, Kafka for 30 s`, () => {
  const wallets = someWallets(WALLETS);
  const buyer = aWallet();
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
    const selling = { ...(await FacilitatorProgram.start()).settings, KAFKA_BROKERS: kafka.brokers };
    gateway = await startBoth('agent-gateway', settingsOf('agent-gateway', sold, selling));
    const before = await published();
    const [{ program: relay }, reader] = [await startRelay(), await startReader()];
    const publishedAtLeast = (count: number) =>
      eventually(async () => expect((await published()) - before).toBeGreaterThanOrEqual(count), PATIENT);
    await announcePayments(outbox, wallets, EACH / 2);
    await publishedAtLeast(0.3 * PAYMENTS);
    relay.kill('SIGKILL');
    await Promise.all([relay.exit, announcePayments(outbox, wallets, EACH / 2)]);
    await startRelay();
    await publishedAtLeast(0.5 * PAYMENTS);
    reader.kill('SIGKILL');
    await kafka.kill();
    await payMeanwhile();
    await Promise.all([kafka.restart(), startReader()]);
    const began = performance.now();
    await eventually(
      async () => {
        expect((await outboxOf(outbox)).waiting).toBe(0);
        const statement = 'SELECT count(*)::integer AS count FROM payments WHERE wallet = ANY($1)';
        const all = [...wallets, buyer.address.toLowerCase()];
        const [row] = await projection.dataSource.query<[{ count: number }]>(statement, [all]);
        expect(row.count).toBe(PAYMENTS + CALLS);
      },
      { withinMs: SLOWEST_CATCH_UP_MS },
    );
    caughtUpMs = performance.now() - began;
  }, 600_000);

  it('lose none and apply none twice, in the order of each wallet', () => expectEachOnce(wallets, EACH));

  it('find calls paid as ever while Kafka is gone, and their events follow in order', async () => {
    expect([paid, waitedForKafka]).toEqual([Array.from({ length: CALLS }, () => 200), CALLS]);
    await expectEachOnce([buyer.address.toLowerCase()], CALLS);
    expect(await audit(sold.dataSource)).toEqual([]);
  });

  it('are caught up in under a minute, on a machine with other work in three', () => {
    expect(caughtUpMs).toBeLessThan(3 * 60_000);
  });

  it('are CloudEvents to a reader of another make, with heartbeats in every partition', async () => {
    const seen = await readTopic(kafka.brokers, PAYMENTS_STREAM);
    const [fits, fitsHeartbeat] = [PaymentSettled, StreamHeartbeat].map((event) =>
      compileValidator(schemaOf(event, { closed: true })),
    );
    const of = { 'content-type': 'application/json', ce_specversion: '1.0', ce_source: '/agent-gateway' };
    const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const isHeartbeat = ({ headers }: (typeof seen)[number]) => headers['ce_type'] === StreamHeartbeat.type;
    expect(seen.filter(isHeartbeat).length).toBeGreaterThanOrEqual(STREAM_PARTITIONS);
    for (const event of seen) {
      const { key, headers, data } = event;
      expect(isInstant(headers['ce_time'])).toBe(true);
      if (isHeartbeat(event)) {
        const own = { ce_id: uuid, ce_type: StreamHeartbeat.type, ce_time: data['sentAt'] };
        expect([key, headers, fitsHeartbeat!(data)]).toEqual(['', { ...of, ...own }, true]);
        continue;
      }
      expect(headers).toEqual({
        ...of,
        ce_id: uuid,
        ce_type: PaymentSettled.type,
        ce_subject: data['paymentId'],
        ce_time: expect.stringMatching(/Z$/),
        ce_partitionkey: key,
        ce_sequence: expect.stringMatching(/^[1-9]\d*$/),
      });
      expect([data['wallet'], fits!(data)]).toEqual([key, true]);
    }
  });
});

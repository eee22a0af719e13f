import { randomUUID } from 'node:crypto';
import { setTimeout as elapse } from 'node:timers/promises';
import { audit } from '@evenkeel/audit';
import { ACCOUNTS_STREAM, EVENT_HEADERS } from '@evenkeel/contracts';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, startRedis, type RunningKafka, type RunningRedis } from '@evenkeel/services';
import {
  AccountsClient,
  accountsDatabase,
  accountsEnv,
  startAccounts,
  startAccountsWorker,
} from './accounts-programs.fixture';
import { outboxOf } from './announced-payments.fixture';
import { readTopic } from './kcat.fixture';
import { Program, stopPrograms } from './program.fixture';

/** For so long both are gone. */
const GONE_MS = sized(3_000, 20_000);
/** A second, three times over for a machine that has other work. */
const SLOWEST_MS = 3_000;
const ANALYSES = 2;
/** Five seconds, three times over for a machine that has other work. */
const ENDS_WITHIN_MS = 15_000;
/** A relay that was refused for long waits between its tries. */
const PUBLISHED = { withinMs: 90_000 };

jest.setTimeout(240_000);

let kafka: RunningKafka;
let redis: RunningRedis;
let database: TestDatabase;
let main: Awaited<ReturnType<typeof startAccounts>>;
let worker: Program;
let url: string;
beforeAll(async () => {
  [kafka, redis, database] = await Promise.all([startKafka(), startRedis(), accountsDatabase()]);
  const created = Program.script('topics:create', { KAFKA_BROKERS: kafka.brokers });
  expect(await created.exit).toEqual({ code: 0, signal: null });
  const env = {
    ...{ ...accountsEnv(database), KAFKA_BROKERS: kafka.brokers, REDIS_URL: redis.url, REPLICA_COUNT: '1' },
    // One limit is reached, the others are not.
    ...{ RATE_LIMIT_SCALE: '1', RATE_REGISTER: '10000/60', RATE_ANALYSIS: `${ANALYSES}/3600` },
  };
  [main, worker] = await Promise.all([startAccounts(env), startAccountsWorker(env)]);
  url = main.url;
  await new AccountsClient(url).register(aPerson());
});
afterAll(async () => {
  await stopPrograms();
  await Promise.all([kafka?.stop(), redis?.stop(), database?.drop()]);
});

const aPerson = () => ({ email: `${randomUUID()}@example.com`, password: 'seven quiet otters' });

interface Told {
  userId: string;
  /** Types, in order. */
  events: string[];
}

/** What somebody does in a short life: routes of every kind, and what each of them announces. */
async function live(slow: object[]): Promise<Told> {
  const client = new AccountsClient(url);
  const person = aPerson();
  const step = async (method: string, path: string, expected: number, body?: object) => {
    const began = performance.now();
    const reply = await client.send(method, path, body);
    const tookMs = performance.now() - began;
    if (reply.status !== expected || tookMs > SLOWEST_MS) slow.push({ method, path, status: reply.status, tookMs });
    return reply.body;
  };
  const registered = await step('POST', 'auth/register', 201, person);
  client.token = registered['accessToken'] as string;
  const { id: habitId } = await step('POST', 'habits', 201, { name: 'Run' });
  const log = { occurredAt: new Date().toISOString(), status: 'COMPLETED' };
  await step('POST', `habits/${String(habitId)}/logs`, 201, log);
  await step('GET', 'habits', 200);
  await step('GET', 'habits/changes', 200);
  for (let left = ANALYSES; left > 0; left--) await step('POST', 'habits/analyze', 200);
  // Counted by the process itself while nobody else counts.
  await step('POST', 'habits/analyze', 429);
  await step('POST', 'auth/refresh', 200, { refreshToken: registered['refreshToken'] });
  await step('POST', 'auth/login', 200, person);
  await step('POST', 'auth/logout', 204);
  await step('GET', 'auth/me', 401);
  return {
    userId: (registered['user'] as { id: string }).id,
    events: ['user.registered', 'usage.metered', 'usage.metered', 'session.revoked'],
  };
}

describe.each<[string, () => unknown, () => unknown]>([
  ['killed', () => Promise.all([redis.kill(), kafka.kill()]), () => Promise.all([redis.restart(), kafka.restart()])],
  ['frozen', () => [redis.freeze(), kafka.freeze()], () => [redis.thaw(), kafka.thaw()]],
])('Redis and Kafka %s', (_, fault, repair) => {
  it('every route answers, limits hold, and events come late, each once', async () => {
    const told: Told[] = [];
    const slow: object[] = [];
    await fault();
    try {
      for (const began = performance.now(); performance.now() - began < GONE_MS || told.length < 2; await elapse(500)) {
        told.push(await live(slow));
      }
      expect(slow).toEqual([]);
      expect((await outboxOf(database)).waiting).toBeGreaterThanOrEqual(told.length * 4);
    } finally {
      await repair();
    }
    await eventually(async () => expect((await outboxOf(database)).waiting).toBe(0), PUBLISHED);
    const seen = await readTopic(kafka.brokers, ACCOUNTS_STREAM);
    // Kafka may have one twice; every reader tells by its id.
    const once = [...new Map(seen.map((event) => [event.headers[EVENT_HEADERS.id], event])).values()];
    for (const { userId, events } of told) {
      const theirs = once
        .filter(({ key }) => key === userId)
        .map(({ headers }) => [headers['ce_sequence'], headers['ce_type']]);
      expect(theirs).toEqual(events.map((type, at) => [String(at + 1), type]));
    }
    expect(await audit(database.dataSource)).toEqual([]);
  });
});

describe('Redis and Kafka gone for good', () => {
  const healthOf = async (program: Program) => {
    const response = await fetch(`${(await program.ready()).internalUrl}/health/ready`);
    return { httpStatus: response.status, ...((await response.json()) as object) };
  };

  it('leaves the service in order while both are there', async () => {
    const ready = { httpStatus: 200, status: 'ready' };
    await eventually(async () => {
      expect(await healthOf(main.program)).toEqual({ ...ready, checks: { database: true, redis: true } });
      const checks = { database: true, kafka: true, events: true };
      expect(await healthOf(worker)).toEqual({ ...ready, checks });
    });
  });

  it('is told by the health of each process, which stays in service', async () => {
    await Promise.all([redis.kill(), kafka.kill()]);
    const degraded = { httpStatus: 200, status: 'degraded' };
    await eventually(async () => {
      expect(await healthOf(main.program)).toEqual({ ...degraded, checks: { database: true, redis: 'degraded' } });
      const checks = { database: true, kafka: 'degraded', events: true };
      expect(await healthOf(worker)).toEqual({ ...degraded, checks });
    });
  });

  it('does not keep a worker that is to end', async () => {
    await live([]);
    expect((await outboxOf(database)).waiting).toBeGreaterThan(0);
    const began = performance.now();
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
  });
});

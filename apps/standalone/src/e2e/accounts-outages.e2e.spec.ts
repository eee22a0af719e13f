import { randomUUID } from 'node:crypto';
import { setTimeout as elapse } from 'node:timers/promises';
import { audit } from '@evenkeel/ops/audit';
import { ACCOUNTS_STREAM } from '@evenkeel/contracts';
import { eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { startKafka, startRedis, type RunningKafka, type RunningRedis } from '@evenkeel/services';
import { AccountsClient } from './accounts-client.fixture';
import { outboxOf } from './announced-payments.fixture';
import { once, readTopic } from './kcat.fixture';
import { MailTokens } from './mail-tokens.fixture';
import { createTopics, databaseOf, settingsOf, startBoth, stopPrograms } from './programs.fixture';

/** For so long something is gone. */
const GONE_MS = sized(3_000, 20_000);
/** A second, three times over for a machine that has other work. */
const SLOWEST_MS = 3_000;
const ANALYSES = 2;
/** Five seconds, as many times over. */
const ENDS_WITHIN_MS = 15_000;
/** A relay that was refused for long waits between its tries, and so does a mail. */
const DELIVERED = { withinMs: 90_000 };

jest.setTimeout(240_000);

let kafka: RunningKafka;
let redis: RunningRedis;
let mails: MailTokens;
let database: TestDatabase;
let accounts: Awaited<ReturnType<typeof startBoth>>;
beforeAll(async () => {
  const login = { user: 'sender', password: 'a word for mails' };
  const services = [startKafka(), startRedis(), MailTokens.start(login), databaseOf('accounts')] as const;
  [kafka, redis, mails, database] = await Promise.all(services);
  await createTopics(kafka.brokers);
  const env = settingsOf('accounts', database, {
    KAFKA_BROKERS: kafka.brokers,
    REDIS_URL: redis.url,
    SMTP_URL: `smtp://${login.user}:${encodeURIComponent(login.password)}@${mails.host}`,
    // One limit is reached, the others are not.
    RATE_LIMIT_SCALE: '1',
    RATE_REGISTER: '10000/60',
    RATE_LOGIN: '10000/60',
    RATE_MAIL: '10000/60',
    RATE_ANALYSIS: `${ANALYSES}/3600`,
  });
  accounts = await startBoth('accounts', env);
  await new AccountsClient(accounts.url).register({ email: 'first@example.com', password: 'seven quiet otters' });
});
afterAll(async () => {
  await stopPrograms();
  await Promise.all([kafka?.stop(), redis?.stop(), mails?.stop(), database?.drop()]);
});

interface Life {
  userId: string;
  email: string;
}
const EVENTS = ['user.registered', 'usage.metered', 'usage.metered', 'session.revoked'];

/** The actions of a short life: routes of every kind, and an event of each kind. */
async function live(): Promise<Life> {
  const client = new AccountsClient(accounts.url);
  const person = { email: `${randomUUID()}@example.com`, password: 'seven quiet otters' };
  const step = async (method: string, path: string, expected: number, body?: object) => {
    const began = performance.now();
    const reply = await client.send(method, path, body);
    const isSlow = performance.now() - began > SLOWEST_MS;
    expect({ method, path, status: reply.status, isSlow }).toEqual({ method, path, status: expected, isSlow: false });
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
  return { userId: (registered['user'] as { id: string }).id, email: person.email };
}

async function mailsWaiting(): Promise<number> {
  return (await database.dataSource.query<unknown[]>('SELECT FROM mails')).length;
}

/** Every event has arrived once and in order, and every mail once. */
async function expectDelivered(lives: readonly Life[]): Promise<void> {
  await eventually(async () => expect((await outboxOf(database)).waiting).toBe(0), DELIVERED);
  await eventually(async () => expect(await mailsWaiting()).toBe(0), DELIVERED);
  const seen = once(await readTopic(kafka.brokers, ACCOUNTS_STREAM));
  for (const { userId, email } of lives) {
    const theirs = seen.filter(({ key }) => key === userId).map(({ headers }) => headers);
    const numbered = theirs.map((headers) => `${headers['ce_sequence']} ${headers['ce_type']}`);
    expect(numbered).toEqual(EVENTS.map((type, at) => `${at + 1} ${type}`));
    expect(mails.recipients.filter((recipient) => recipient === email)).toEqual([email]);
  }
  expect(await audit(database.dataSource)).toEqual([]);
}

const health = async ({ program }: { program: (typeof accounts)['program'] }) => {
  const response = await fetch(`${(await program.ready()).internalUrl}/health/ready`);
  return { status: response.status, body: await response.json() };
};
/** Of main and of worker. */
const expectHealth = (status: string, of: true | 'degraded') =>
  eventually(async () => {
    const inService = (checks: object) => ({ status: 200, body: { status, checks: { database: true, ...checks } } });
    expect(await health(accounts)).toEqual(inService({ redis: of }));
    expect(await health({ program: accounts.worker })).toEqual(inService({ kafka: of, events: true }));
  }, DELIVERED);

it.each<[string, () => unknown, () => unknown]>([
  [
    'killed',
    () => Promise.all([redis.kill(), kafka.kill(), mails.stop()]),
    () => Promise.all([redis.restart(), kafka.restart(), mails.restart()]),
  ],
  [
    'silent',
    () => {
      redis.freeze();
      kafka.freeze();
      mails.hang();
    },
    () => {
      redis.thaw();
      kafka.thaw();
      return mails.restart();
    },
  ],
])('Redis, Kafka and mail server %s: routes answer, limits hold, events and mails come once', async (_, begin, end) => {
  const lives: Life[] = [];
  await begin();
  try {
    for (const began = performance.now(); performance.now() - began < GONE_MS || lives.length < 2; await elapse(500)) {
      lives.push(await live());
    }
    expect((await outboxOf(database)).waiting).toBeGreaterThanOrEqual(lives.length * EVENTS.length);
    expect(await mailsWaiting()).toBeGreaterThanOrEqual(lives.length);
  } finally {
    await end();
  }
  await expectDelivered(lives);
});

it('health shows Redis and Kafka that are gone for good, and neither keeps a worker that is to end', async () => {
  await expectHealth('ready', true);
  await Promise.all([redis.kill(), kafka.kill()]);
  await expectHealth('degraded', 'degraded');
  await live();
  expect((await outboxOf(database)).waiting).toBeGreaterThan(0);
  const began = performance.now();
  expect(await accounts.worker.stop()).toEqual({ code: 0, signal: null });
  expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
});

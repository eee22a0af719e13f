import { randomUUID } from 'node:crypto';
import { setTimeout as elapse } from 'node:timers/promises';
import { audit } from '@evenkeel/ops/audit';
import { ACCOUNTS_STREAM, EVENT_HEADERS } from '@evenkeel/contracts';
import { DatabaseLine, eventually, type TestDatabase } from '@evenkeel/platform/testing';
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
import { MailTokens } from './mail-tokens.fixture';
import { Program, stopPrograms } from './program.fixture';

/** For so long something is gone. */
const GONE_MS = sized(3_000, 20_000);
/** A second, three times over for a machine that has other work. */
const SLOWEST_MS = 3_000;
/** Three seconds, as many times over. */
const REFUSED_WITHIN_MS = 9_000;
/** Five seconds, three times over. */
const RECOVERED = { withinMs: 15_000 };
const ANALYSES = 2;
/** Five seconds, three times over for a machine that has other work. */
const ENDS_WITHIN_MS = 15_000;
/** A relay that was refused for long waits between its tries, and so does a mail. */
const DELIVERED = { withinMs: 90_000 };

jest.setTimeout(240_000);

let kafka: RunningKafka;
let redis: RunningRedis;
let mails: MailTokens;
let database: TestDatabase;
let line: DatabaseLine;
let main: Awaited<ReturnType<typeof startAccounts>>;
let worker: Program;
let url: string;
beforeAll(async () => {
  const login = { user: 'sender', password: 'a word for mails' };
  [kafka, redis, mails, database] = await Promise.all([
    ...([startKafka(), startRedis(), MailTokens.start(login), accountsDatabase()] as const),
  ]);
  line = await DatabaseLine.to(database.url);
  const created = Program.script('topics:create', { KAFKA_BROKERS: kafka.brokers });
  expect(await created.exit).toEqual({ code: 0, signal: null });
  const env = {
    ...accountsEnv(database),
    KAFKA_BROKERS: kafka.brokers,
    REDIS_URL: redis.url,
    REPLICA_COUNT: '1',
    DATABASE_URL: line.url,
    SMTP_URL: `smtp://${login.user}:${encodeURIComponent(login.password)}@${mails.host}`,
    // One limit is reached, the others are not.
    RATE_LIMIT_SCALE: '1',
    RATE_REGISTER: '10000/60',
    RATE_LOGIN: '10000/60',
    RATE_MAIL: '10000/60',
    RATE_EXPORT: '10000/60',
    RATE_ANALYSIS: `${ANALYSES}/3600`,
  };
  [main, worker] = await Promise.all([startAccounts(env), startAccountsWorker(env)]);
  url = main.url;
  await new AccountsClient(url).register(aPerson());
});
afterAll(async () => {
  await stopPrograms();
  line?.cut();
  await Promise.all([kafka?.stop(), redis?.stop(), mails?.stop(), database?.drop()]);
});

const aPerson = () => ({ email: `${randomUUID()}@example.com`, password: 'seven quiet otters' });

interface Told {
  userId: string;
  email: string;
  /** Types, in order. */
  events: string[];
}

/** The actions of a short life: routes of every kind, and the events of each. */
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
    email: person.email,
    events: ['user.registered', 'usage.metered', 'usage.metered', 'session.revoked'],
  };
}

/** Every event has arrived once and in order, and every mail once. */
async function expectDelivered(told: readonly Told[]): Promise<void> {
  await eventually(async () => expect((await outboxOf(database)).waiting).toBe(0), DELIVERED);
  await eventually(async () => expect(await mailsWaiting()).toBe(0), DELIVERED);
  const seen = await readTopic(kafka.brokers, ACCOUNTS_STREAM);
  // Kafka may have one twice; every reader tells by its id.
  const once = [...new Map(seen.map((event) => [event.headers[EVENT_HEADERS.id], event])).values()];
  for (const { userId, email, events } of told) {
    const theirs = once
      .filter(({ key }) => key === userId)
      .map(({ headers }) => [headers['ce_sequence'], headers['ce_type']]);
    expect(theirs).toEqual(events.map((type, at) => [String(at + 1), type]));
    expect(mails.recipients.filter((recipient) => recipient === email)).toEqual([email]);
  }
  expect(await audit(database.dataSource)).toEqual([]);
}

async function mailsWaiting(): Promise<number> {
  const [row] = await database.dataSource.query<[{ count: number }]>('SELECT count(*)::integer AS count FROM mails');
  return row.count;
}

interface Outage {
  of: string;
  begin: () => unknown;
  end: () => unknown;
  /** Whether events, or mails, have to wait. */
  events?: boolean;
  mails?: boolean;
}

const redisOutages = (): Outage[] => [
  { of: 'Redis killed', begin: () => redis.kill(), end: () => redis.restart() },
  { of: 'Redis frozen', begin: () => redis.freeze(), end: () => redis.thaw() },
];
const kafkaOutages = (): Outage[] => [
  { of: 'Kafka killed', begin: () => kafka.kill(), end: () => kafka.restart(), events: true },
  { of: 'Kafka frozen', begin: () => kafka.freeze(), end: () => kafka.thaw(), events: true },
];
const mailOutages = (): Outage[] => [
  { of: 'mail server killed', begin: () => mails.stop(), end: () => mails.restart(), mails: true },
  { of: 'mail server silent', begin: () => mails.hang(), end: () => mails.restart(), mails: true },
];

function together(outages: readonly Outage[]): Outage {
  return {
    of: outages.map(({ of }) => of).join(', '),
    begin: () => Promise.all(outages.map(({ begin }) => begin())),
    end: () => Promise.all(outages.map(({ end }) => end())),
    events: outages.some(({ events }) => events),
    mails: outages.some((outage) => outage.mails),
  };
}

const ALL = [redisOutages(), kafkaOutages(), mailOutages()];
/** A short run has no time for one after the other. */
const AT_ONCE = sized(ALL.length, 1);
const OUTAGES = [0, 1].flatMap((kind) =>
  Array.from({ length: ALL.length / AT_ONCE }, (_, turn) =>
    together(ALL.slice(turn * AT_ONCE, (turn + 1) * AT_ONCE).map((both) => both[kind]!)),
  ),
);

it.each(OUTAGES.map((outage) => [outage.of, outage] as const))(
  '%s: every route answers, limits hold, events and mails come late, each once',
  async (_, outage) => {
    const told: Told[] = [];
    const slow: object[] = [];
    await outage.begin();
    try {
      for (const began = performance.now(); performance.now() - began < GONE_MS || told.length < 2; await elapse(500)) {
        told.push(await live(slow));
      }
      expect(slow).toEqual([]);
      if (outage.events) expect((await outboxOf(database)).waiting).toBeGreaterThanOrEqual(told.length * 4);
      if (outage.mails) expect(await mailsWaiting()).toBeGreaterThanOrEqual(told.length);
    } finally {
      await outage.end();
    }
    await expectDelivered(told);
  },
);

describe.each<[string, () => void]>([
  ['killed', () => line.cut()],
  ['frozen', () => line.hang()],
])('PostgreSQL %s', (_, begin) => {
  const healthOf = async (path: string) =>
    (await fetch(`${(await main.program.ready()).internalUrl}/health/${path}`)).status;

  /** Status and, of an error, code; nothing when it took too long. */
  async function answerTo(client: AccountsClient, method: string, path: string, body?: object): Promise<string> {
    const began = performance.now();
    const reply = await client.send(method, path, body);
    const tookMs = performance.now() - began;
    return tookMs > REFUSED_WITHIN_MS ? `${tookMs} ms` : [reply.status, reply.body.error].filter(Boolean).join(' ');
  }

  it('routes that need it tell people to wait, the others answer, and nothing is lost', async () => {
    const told = [await live([])];
    const client = new AccountsClient(url);
    const person = aPerson();
    const { body: registered } = await client.register(person);
    const { id: habitId } = (await client.send('POST', 'habits', { name: 'Run' })).body;
    const log = { occurredAt: new Date().toISOString(), status: 'COMPLETED' };
    const needing: [method: string, path: string, body?: object][] = [
      ['POST', 'auth/register', aPerson()],
      ['POST', 'auth/login', person],
      ['POST', 'auth/refresh', { refreshToken: registered['refreshToken'] }],
      ['POST', 'auth/password/forgot', { email: person.email }],
      ['GET', 'auth/me'],
      ['GET', 'habits'],
      ['POST', 'habits', { name: 'Read' }],
      ['POST', `habits/${String(habitId)}/logs`, log],
      ['POST', 'habits/analyze'],
      ['GET', 'habits/export'],
    ];
    const stranger = new AccountsClient(url);
    const others = [
      [200, '.well-known/jwks.json'],
      [200, 'v1/auth/email/verify'],
      [200, 'v1/auth/password/reset'],
      [401, 'v1/auth/me'],
    ] as const;
    begin();
    try {
      for (const began = performance.now(); performance.now() - began < GONE_MS; await elapse(500)) {
        const answers = await Promise.all(needing.map((request) => answerTo(client, ...request)));
        expect(answers).toEqual(needing.map(() => '503 service_unavailable'));
        for (const [status, path] of others)
          expect([path, (await fetch(`${url}/${path}`)).status]).toEqual([path, status]);
        expect(await answerTo(stranger, 'POST', 'auth/register', { email: 'nobody' })).toBe('400 validation_failed');
        expect([await healthOf('live'), await healthOf('ready')]).toEqual([200, 503]);
      }
    } finally {
      await line.mend();
    }
    await eventually(async () => expect(await answerTo(client, 'GET', 'auth/me')).toBe('200'), RECOVERED);
    expect((await client.send('GET', 'habits')).body['count']).toBe(1);
    const slow: object[] = [];
    told.push(await live(slow));
    expect(slow).toEqual([]);
    await eventually(async () => expect(await healthOf('ready')).toBe(200), RECOVERED);
    await expectDelivered(told);
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

  it('is shown by the health of each process, which stays in service', async () => {
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

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deadLetterTopic, STREAMS } from '@evenkeel/contracts';
import {
  CERTIFICATE,
  PRIVATE_KEY,
  startKafka,
  startRedis,
  type RunningKafka,
  type RunningRedis,
} from '@evenkeel/services';
import { freePort } from '@evenkeel/services/free-port';
import { Kafka, logLevel } from 'kafkajs';
import { ServiceConfig } from '../config';
import { makeTopics } from '../messaging/kafka/kafka-client';
import { postgresOptions } from '../persistence';
import { mint } from '../persistence/persistence.fixture';
import { createTestDatabase, type TestDatabase } from '../testing';
import { check, type Checked } from './check';
import { LIMITS, ok, type Finding, type Probe } from './finding';

class ShopConfig extends ServiceConfig {}

type Settings = Record<string, string>;

const LOGIN = { username: 'evenkeel', password: 'a-password-of-the-test' };
const [PAYMENTS, SUBSCRIPTIONS, ACCOUNTS] = STREAMS.map(({ topic }) => topic) as [string, string, string];
/** For servers that never answer. */
const SHORT = { stepMs: 500, probeMs: 5_000 };

const folder = mkdtempSync(join(tmpdir(), 'check-'));
const authority = join(folder, 'authority.pem');
const opened: Server[] = [];
const sockets = new Set<Socket>();
let database: TestDatabase;
let another: TestDatabase;
let redis: RunningRedis;
let kafka: RunningKafka;
let closedPort: number;
/** Everything works with these. */
let good: Record<'DATABASE_URL' | 'REDIS_URL' | 'KAFKA_BROKERS', string>;

beforeAll(async () => {
  const silent = { log: () => undefined };
  [database, another, redis, kafka] = await Promise.all([
    createTestDatabase(mint),
    createTestDatabase(mint),
    startRedis(silent),
    startKafka({ secured: { keystore: PRIVATE_KEY + CERTIFICATE, login: LOGIN }, ...silent }),
  ]);
  writeFileSync(authority, CERTIFICATE);
  closedPort = await freePort();
  good = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    KAFKA_BROKERS: kafka.brokers,
  };
  const admin = new Kafka({ brokers: [kafka.brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  // Those of the gateway as they should be, of the others with one thing wrong each.
  const numbers = { [PAYMENTS]: 12, [ACCOUNTS]: 3, [deadLetterTopic(SUBSCRIPTIONS)]: 12, [SUBSCRIPTIONS]: 12 };
  await makeTopics(
    admin,
    Object.entries(numbers).map(([topic, numPartitions]) => ({ topic, numPartitions })),
  );
  await admin.disconnect();
}, 120_000);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const socket of sockets) socket.destroy();
  for (const server of opened) server.close();
  await Promise.all([database.drop(), another.drop(), redis.stop(), kafka.stop()]);
});

async function addressOf(server: Server): Promise<string> {
  opened.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The settings of the listener with TLS and a login. */
const secured = (more: Settings = {}): Settings => ({
  KAFKA_BROKERS: kafka.securedBrokers!,
  KAFKA_TLS: 'on',
  KAFKA_CA_FILE: authority,
  KAFKA_SASL_MECHANISM: 'plain',
  KAFKA_SASL_USERNAME: LOGIN.username,
  KAFKA_SASL_PASSWORD: LOGIN.password,
  ...more,
});

const ofDatabase = (part: Partial<URL>): Settings => ({
  DATABASE_URL: Object.assign(new URL(database.url), part).href,
});

/** A database that says it has this migration, beside its own or alone. */
async function withMigration(name: string, alone = false): Promise<Settings> {
  await another.dataSource.query(`DELETE FROM migrations ${alone ? '' : `WHERE name NOT LIKE 'CreateCoins%'`}`);
  await another.dataSource.query('INSERT INTO migrations (timestamp, name) VALUES (1, $1)', [name]);
  return { DATABASE_URL: another.url };
}

/** What only this service uses. */
let tillAnswers: () => Promise<Finding[]>;
beforeEach(() => (tillAnswers = async () => [ok('till', 'It is open.')]));
const till: Probe = { subject: 'till', settings: 'TILL_KEY', examine: () => tillAnswers() };

/** `main.js --check` of a service with the topics of the product's service of this name. */
async function checked(
  env: Settings,
  more: { name?: string; limits?: typeof LIMITS; args?: string[]; workerOnlyReads?: boolean } = {},
): Promise<{ code: number; said: string; found: string[][] }> {
  const { name = 'agent-gateway', limits = LIMITS, args = [], workerOnlyReads } = more;
  const service: Checked<ShopConfig> = {
    name,
    config: ShopConfig,
    workerOnlyReads,
    database: ({ DATABASE_URL: url }) => postgresOptions({ ...mint, url }),
    probes: () => [till],
  };
  let said = '';
  const code = await check(service, ['--check', ...args], env, (text) => void (said += text), limits);
  const lines = said.trim().split('\n');
  return { code, said, found: lines.map((line) => /^(\w+) +(\w+) +(.*)$/.exec(line)?.slice(1) ?? []) };
}

it('says ok of each thing, and ends with 0', async () => {
  for (const env of [good, { ...good, ...secured() }]) {
    const { code, said, found } = await checked(env);
    const outcomes = found.slice(0, -1).map(([outcome, subject]) => `${outcome} ${subject}`);
    const subjects = ['settings', 'database', 'schema', 'kafka', 'topics', 'redis', 'till'];
    expect(outcomes).toEqual(subjects.map((subject) => `ok ${subject}`));
    expect([code, said]).toEqual([0, expect.stringMatching(/\nNothing is wrong with agent-gateway\.\n$/)]);
  }
}, 60_000);

it('says in one sentence what is wrong, and what to set', async () => {
  const base = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://shop.invalid' };
  const nowhere = `127.0.0.1:${closedPort}`;
  const cases: [Settings | (() => Promise<Settings>), subject: string, says: RegExp][] = [
    [{ DATABASE_URL: '' }, 'settings', /DATABASE_URL must be/],
    [ofDatabase({ port: String(closedPort) }), 'database', /is not there.*DATABASE_URL/],
    [ofDatabase({ hostname: 'db.invalid' }), 'database', /name that is not known.*DATABASE_URL/],
    [ofDatabase({ password: 'not-the-password' }), 'database', /authentication failed.*DATABASE_URL/],
    [ofDatabase({ pathname: '/postgres' }), 'schema', /lacks CreateCoins.*migrate/],
    [() => withMigration('DropCoins1799999999999'), 'schema', /has DropCoins1799999999999.*release/],
    [() => withMigration('CreatePearls1700000000000', true), 'schema', /another service.*DATABASE_URL/],
    [{ KAFKA_BROKERS: nowhere }, 'kafka', /is not there.*KAFKA_BROKERS/],
    [secured({ KAFKA_CA_FILE: '' }), 'kafka', /self-signed.*KAFKA_CA_FILE/],
    [secured({ KAFKA_CA_FILE: join(folder, 'none.pem') }), 'kafka', /no such file.*KAFKA_CA_FILE/],
    [secured({ KAFKA_SASL_PASSWORD: 'not-the-password' }), 'kafka', /authentication failed.*KAFKA_SASL_/i],
    [{ REDIS_URL: `redis://${nowhere}` }, 'redis', /is not there.*REDIS_URL/],
    [{ REDIS_URL: redis.url.replace('//', '//limiter:not-the-password@') }, 'redis', /WRONGPASS.*REDIS_URL/],
    [{ REDIS_URL: `${redis.url}/77` }, 'redis', /DB index is out of range.*REDIS_URL/],
    [{ ...base, KAFKA_BROKERS: '' }, 'kafka', /KAFKA_BROKERS is not set/],
    [{ ...base, PUBLIC_BASE_URL: '' }, 'settings', /PUBLIC_BASE_URL is no https address/],
    [{ ...base, RATE_LIMIT_SCALE: '50' }, 'settings', /RATE_LIMIT_SCALE is not 1/],
  ];
  for (const [changed, subject, says] of cases) {
    const settings = typeof changed === 'function' ? await changed() : changed;
    const { code, said, found } = await checked({ ...good, ...settings });
    const sentences = found.filter((one) => one[0] === 'wrong' && one[1] === subject).map(([, , sentence]) => sentence);
    expect(sentences).toEqual([expect.stringMatching(new RegExp(`(${says.source}).*\\.$`, says.flags))]);
    expect(code).toBe(1);
    expect(said).not.toMatch(/not-the-password|a-password-of-the-test|at .*\.ts:\d/);
  }
}, 180_000);

it('names topics that are missing, and those with another number of partitions', async () => {
  const { said } = await checked(good, { name: 'reporting' });
  expect(said).toMatch(new RegExp(`wrong +topics +There is no ${deadLetterTopic(PAYMENTS)}: .*topics:create`));
  const others = await checked(good, { name: 'accounts' });
  expect(others.said).toMatch(new RegExp(`wrong +topics +Not 12 partitions: ${ACCOUNTS} \\(3\\)`));
});

it('names each server that accepts and never answers, within its time', async () => {
  const address = await addressOf(createServer((socket) => sockets.add(socket.on('error', () => undefined))));
  const stores = { DATABASE_URL: `postgres://a:b@${address}/c`, REDIS_URL: `redis://${address}` };
  tillAnswers = () => new Promise(() => undefined);
  const { code, found } = await checked({ ...stores, KAFKA_BROKERS: address }, { limits: SHORT });
  const named = found.filter(([outcome]) => outcome === 'wrong').map(([, subject]) => subject);
  expect([code, named]).toEqual([1, ['database', 'kafka', 'redis', 'till']]);
}, 30_000);

it.each([
  [{}, 0, 'off'],
  [{ name: 'reporting', workerOnlyReads: true }, 1, 'wrong'],
  [{ name: 'reporting', workerOnlyReads: true, args: ['--one-process'] }, 0, 'off'],
])('names what is not configured, and whether something needs it: %j', async (more, code, kafkaIs) => {
  const { code: ended, said } = await checked({ ...good, KAFKA_BROKERS: '', REDIS_URL: '' }, more);
  expect([ended, said]).toEqual([code, expect.stringMatching(new RegExp(`${kafkaIs} +kafka +KAFKA_BROKERS is not`))]);
  expect(said).toMatch(/off +redis +REDIS_URL is not set/);
});

it.each([
  ['--fast', 2],
  ['--help', 0],
])('explains itself when %s is typed', async (flag, code) => {
  const said = expect.stringContaining('node main.js --check') as string;
  expect(await checked({}, { args: [flag] })).toMatchObject({ code, said });
});

import { deadLetterTopic } from '@evenkeel/contracts';
import { Redis } from 'ioredis';
import type { Limits } from './finding';
import { aPatient, examined, SilentServer } from './patient.fixture';
import { ACCOUNTS, PAYMENTS, Surroundings } from './surroundings.fixture';

let all: Surroundings;
let good: Surroundings['good'];
beforeAll(async () => {
  all = await Surroundings.start();
  good = all.good;
}, 120_000);
afterAll(() => all.stop());

it('says ok of each thing, and ends with 0', async () => {
  for (const env of [good, { ...good, ...all.secured() }]) {
    const { code, said } = await examined(aPatient('agent-gateway'), env);
    const outcomes = said
      .trim()
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(/ +/).slice(0, 2).join(' '));
    expect(outcomes).toEqual(
      ['settings', 'database', 'schema', 'kafka', 'topics', 'redis', 'jwks'].map((name) => `ok ${name}`),
    );
    expect([code, said.trim().split('\n').at(-1)]).toEqual([0, 'Nothing is wrong with agent-gateway.']);
  }
}, 60_000);

type Settings = Record<string, string>;
/** For a server that waits for more, and would have to be waited for. */
const SHORT: Limits = { stepMs: 500, probeMs: 5_000 };

/** What is broken, the settings that break it, and the subject and text of the one line that must say so. */
const BROKEN: [string, () => Settings | Promise<Settings>, string, RegExp, Limits?][] = [
  ['no database', () => ({ DATABASE_URL: '' }), 'settings', /DATABASE_URL must be/],
  ['a setting of another kind', () => ({ DB_POOL_MAX: 'many' }), 'settings', /DB_POOL_MAX must/],
  [
    'a secret in two places',
    () => ({ DATABASE_URL_FILE: '/dev/null' }),
    'settings',
    /DATABASE_URL and DATABASE_URL_FILE/,
  ],
  [
    'a file that is not there',
    () => ({ DATABASE_URL: '', DATABASE_URL_FILE: '/not/there' }),
    'settings',
    /DATABASE_URL_FILE must be/,
  ],
  [
    'a port where nothing is',
    () => ({ DATABASE_URL: all.databaseUrl({ port: String(all.closedPort) }) }),
    'database',
    /is not there.*DATABASE_URL/,
  ],
  [
    'a server of an unknown name',
    () => ({ DATABASE_URL: all.databaseUrl({ hostname: 'db.invalid' }) }),
    'database',
    /name that is not known.*DATABASE_URL/,
  ],
  [
    'a wrong password',
    () => ({ DATABASE_URL: all.databaseUrl({ password: 'not-the-password' }) }),
    'database',
    /refuses user and password.*DATABASE_URL/,
  ],
  [
    'a database that was not created',
    () => ({ DATABASE_URL: all.databaseUrl({ pathname: '/not_created' }) }),
    'database',
    /no database of this name.*DATABASE_URL/,
  ],
  [
    'TLS of a server that has none',
    () => ({ DATABASE_URL: all.databaseUrl({ search: '?sslmode=require' }) }),
    'database',
    /does not speak TLS.*DATABASE_URL/,
  ],
  [
    'another server in place of PostgreSQL',
    () => ({ DATABASE_URL: all.databaseUrl({ port: new URL(all.redis.url).port }) }),
    'database',
    /does not answer in time.*DATABASE_URL/,
    SHORT,
  ],
  ['a pool larger than the server', () => ({ DB_POOL_MAX: '1000' }), 'database', /allows \d+ connections.*DB_POOL_MAX/],
  [
    'an empty database',
    () => ({ DATABASE_URL: all.databaseUrl({ pathname: '/postgres' }) }),
    'schema',
    /lacks CreateCoins.*migrate/,
  ],
  [
    'the schema of a later release',
    async () => ({ DATABASE_URL: await all.withMigration('DropCoins1799999999999') }),
    'schema',
    /has DropCoins1799999999999.*release/,
  ],
  [
    'the database of another service',
    async () => ({ DATABASE_URL: await all.withMigration('CreatePearls1700000000000', true) }),
    'schema',
    /another service.*DATABASE_URL/,
  ],
  [
    'brokers that are not there',
    () => ({ KAFKA_BROKERS: `127.0.0.1:${all.closedPort}` }),
    'kafka',
    /is not there.*KAFKA_BROKERS/,
  ],
  [
    'brokers of an unknown name',
    () => ({ KAFKA_BROKERS: 'kafka.invalid:9092' }),
    'kafka',
    /name that is not known.*KAFKA_BROKERS/,
  ],
  ['no authority of the brokers', () => all.secured({ KAFKA_CA_FILE: '' }), 'kafka', /authority.*KAFKA_CA_FILE/],
  [
    'a file of the authority that is not there',
    () => all.secured({ KAFKA_CA_FILE: all.file('none.pem') }),
    'kafka',
    /KAFKA_CA_FILE must be a file/,
  ],
  [
    'a certificate for another name',
    () => all.secured({ KAFKA_BROKERS: all.kafka.securedBrokers!.replace('127.0.0.1', 'localhost') }),
    'kafka',
    /for another name.*KAFKA_BROKERS/,
  ],
  ['TLS of brokers that speak plain', () => all.secured({ KAFKA_BROKERS: all.kafka.brokers }), 'kafka', /KAFKA_TLS/],
  ['no TLS of brokers that ask for it', () => ({ KAFKA_BROKERS: all.kafka.securedBrokers! }), 'kafka', /KAFKA_TLS=on/],
  [
    'a wrong login',
    () => all.secured({ KAFKA_SASL_PASSWORD: 'not-the-password' }),
    'kafka',
    /refuses the login.*KAFKA_SASL_PASSWORD/,
  ],
  [
    'a mechanism that brokers do not take',
    () => all.secured({ KAFKA_SASL_MECHANISM: 'scram-sha-256' }),
    'kafka',
    /scram-sha-256.*KAFKA_SASL_MECHANISM/,
  ],
  [
    'a password that would be sent readable',
    () => all.secured({ KAFKA_TLS: 'off' }),
    'settings',
    /KAFKA_SASL_MECHANISM must not be plain/,
  ],
  ['no Redis there', () => ({ REDIS_URL: `redis://127.0.0.1:${all.closedPort}` }), 'redis', /is not there.*REDIS_URL/],
  [
    'a wrong password of Redis',
    () => ({ REDIS_URL: all.redis.url.replace('//', '//limiter:not-the-password@') }),
    'redis',
    /refuses user and password.*REDIS_URL/,
  ],
  [
    'a user that may run no script',
    () => ({ REDIS_URL: all.redis.url.replace('//', '//limiter:password-of-limiter@') }),
    'redis',
    /forbids this user.*allow eval/,
  ],
  [
    'a database that Redis has not',
    () => ({ REDIS_URL: `${all.redis.url}/77` }),
    'redis',
    /no database of this number.*REDIS_URL/,
  ],
  [
    'TLS of a Redis that speaks plain',
    () => ({ REDIS_URL: all.redis.url.replace('redis:', 'rediss:') }),
    'redis',
    /over TLS: correct REDIS_URL/,
    SHORT,
  ],
  [
    'keys that are not there',
    () => ({ JWKS_URL: `http://127.0.0.1:${all.closedPort}/keys` }),
    'jwks',
    /is not there.*JWKS_URL/,
  ],
  ['keys at another path', async () => ({ JWKS_URL: await all.serves('{}', 404) }), 'jwks', /status 404.*JWKS_URL/],
  [
    'no keys in the set',
    async () => ({ JWKS_URL: await all.serves('{"keys":[]}') }),
    'jwks',
    /no key of ES256.*JWKS_URL/,
  ],
  ['keys behind an unknown authority', () => ({ JWKS_URL: all.httpsKeys }), 'jwks', /authority.*NODE_EXTRA_CA_CERTS/],
  [
    'keys behind plain HTTP',
    () => ({ JWKS_URL: good.JWKS_URL.replace('http:', 'https:') }),
    'jwks',
    /does not speak TLS.*JWKS_URL/,
  ],
  [
    'no brokers in production',
    () => ({ ...PRODUCTION, KAFKA_BROKERS: '', JWKS_URL: '' }),
    'kafka',
    /KAFKA_BROKERS is not set/,
  ],
  [
    'no public address in production',
    () => ({ ...PRODUCTION, PUBLIC_BASE_URL: '', JWKS_URL: '' }),
    'settings',
    /PUBLIC_BASE_URL is no https address/,
  ],
  [
    'limits of a load test in production',
    () => ({ ...PRODUCTION, RATE_LIMIT_SCALE: '50', JWKS_URL: '' }),
    'settings',
    /RATE_LIMIT_SCALE is not 1/,
  ],
];

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://shop.invalid' };

describe('names', () => {
  beforeAll(async () => {
    const client = new Redis(all.redis.url);
    await client.call('ACL', 'SETUSER', 'limiter', 'on', '>password-of-limiter', '~*', '+@connection', '+role');
    client.disconnect();
  });

  it.each(BROKEN)(
    '%s',
    async (_what, settings, subject, text) => {
      const changed = await settings();
      const { code, said } = await examined(aPatient('agent-gateway'), { ...good, ...changed });
      const lines = said.split('\n').filter((line) => line.startsWith('wrong') && line.includes(` ${subject} `));
      expect(lines).toEqual([expect.stringMatching(text)]);
      expect(lines[0]).toMatch(/\.$/);
      expect(code).toBe(1);
      expect(said).not.toMatch(/not-the-password|password-of-limiter|a-password-of-the-test|at .*\.ts:\d/);
    },
    60_000,
  );

  it('topics that are missing, and those with another number of partitions', async () => {
    const missing = await examined(aPatient('reporting'), good);
    expect(missing.said).toMatch(
      new RegExp(`wrong +topics +There is no ${deadLetterTopic(PAYMENTS)}: .*topics:create`),
    );
    const others = await examined(aPatient('accounts'), good);
    expect(others.said).toMatch(new RegExp(`wrong +topics +Not 12 partitions: ${ACCOUNTS} \\(3\\)`));
  });

  it('a service whose worker only reads, without brokers', async () => {
    const { said } = await examined(aPatient('reporting', { workerOnlyReads: true }), { ...good, KAFKA_BROKERS: '' });
    expect(said).toMatch(/wrong +kafka +KAFKA_BROKERS is not set/);
  });

  it('a Redis that is a replica', async () => {
    const client = new Redis(all.redis.url);
    await client.replicaof('127.0.0.1', all.closedPort);
    try {
      expect((await examined(aPatient('agent-gateway'), good)).said).toMatch(/wrong +redis .* is a replica.*REDIS_URL/);
    } finally {
      await client.replicaof('NO', 'ONE');
      client.disconnect();
    }
  });

  it('each server that accepts and never answers, within its time', async () => {
    const silent = await SilentServer.start();
    const { address } = silent;
    const env = {
      DATABASE_URL: `postgres://a:b@${address}/c`,
      REDIS_URL: `redis://${address}`,
      KAFKA_BROKERS: address,
    };
    const patient = aPatient('agent-gateway', { limits: SHORT });
    const { code, said } = await examined(patient, { ...env, JWKS_URL: `http://${address}/` }).finally(() =>
      silent.stop(),
    );
    const named = said
      .split('\n')
      .filter((line) => line.startsWith('wrong'))
      .map((line) => line.split(/ +/)[1]);
    expect([code, named]).toEqual([1, ['database', 'kafka', 'redis', 'jwks']]);
  }, 30_000);
});

it('names what is not configured, and needs nothing of it', async () => {
  const { code, said } = await examined(aPatient('agent-gateway'), { ...good, KAFKA_BROKERS: '', REDIS_URL: '' });
  expect(code).toBe(0);
  expect(said).toMatch(/off +kafka +KAFKA_BROKERS is not set/);
  expect(said).toMatch(/off +redis +REDIS_URL is not set/);
});

it.each([
  ['an unknown flag', ['--fast'], 2, /^Unknown option '--fast'\nSee npm run doctor -- shop --help\n$/],
  ['an argument', ['billing'], 2, /billing.*\nSee npm run doctor -- shop --help\n$/],
  ['a question for help', ['--help'], 0, /^Reads the settings of shop/],
])('answers %s', async (_what, args, code, text) => {
  expect(await examined(aPatient('shop'), {}, args)).toEqual({ code, said: expect.stringMatching(text) });
});

import { poolsOf } from '@evenkeel/platform/persistence';
import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { ask } from '@evenkeel/platform/testing/service';
import { DataSource } from 'typeorm';
import { Accounts } from './accounts.fixture';
import { databaseOptions } from './database';

let accounts: Accounts;
let line: DatabaseLine;
let person: Awaited<ReturnType<Accounts['person']>>;
beforeAll(async () => {
  accounts = await Accounts.start({}, async (url) => (line = await DatabaseLine.to(url)).url);
  person = await accounts.person();
});
afterAll(() => accounts.close());

it('is ready with its database', async () => {
  const { status, body } = await ask(`${accounts.running.internalUrl}/health/ready`);
  expect([status, body]).toEqual([200, { status: 'ready', checks: { database: true } }]);
});

it('a request that a lock outlasts gets Retry-After, and works afterwards', async () => {
  const { email, password } = person;
  const login = () => accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
  const runner = accounts.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE sessions IN EXCLUSIVE MODE');
  const { status, headers, body } = await login();
  await runner.rollbackTransaction();
  await runner.release();
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  expect((await login()).status).toBe(200);
});

/** An analysis over connections that all have to be opened, while each answer of the database is late. */
async function lateAnalysis(lateMs: number) {
  const used = async () => {
    const statement = 'SELECT coalesce(sum(used), 0)::integer AS used FROM usage_months WHERE user_id = $1';
    return (await accounts.database.dataSource.query<[{ used: number }]>(statement, [person.id]))[0].used;
  };
  const before = await used();
  line.cut();
  const pools = poolsOf(accounts.app.get(DataSource));
  await eventually(() => expect(pools.filter(({ totalCount }) => totalCount > 0)).toEqual([]));
  line.answerLate(lateMs);
  await line.mend();
  const began = performance.now();
  const { status, headers } = await accounts.ask('POST', '/v1/habits/analyze', { token: person.token });
  const tookMs = performance.now() - began;
  line.answerLate(0);
  return { status, retryAfter: headers.get('retry-after'), tookMs, counted: (await used()) - before };
}

it('an analysis is slow, but right, when every connection has to be opened and each answer is late', async () => {
  expect(await lateAnalysis(150)).toMatchObject({ status: 200, counted: 1 });
});

it('an analysis that late answers would keep for more than five seconds gets Retry-After, and is not counted', async () => {
  const { tookMs, ...answer } = await lateAnalysis(500);
  expect(answer).toEqual({ status: 503, retryAfter: '1', counted: 0 });
  expect(tookMs).toBeLessThan(5_000);
});

it('a request gets Retry-After within three seconds when the database hangs, signed in or not', async () => {
  const { email, password, token } = person;
  line.hang();
  const began = performance.now();
  const answers = await Promise.all([
    accounts.ask('GET', '/v1/auth/me', { token }),
    accounts.ask('POST', '/v1/auth/login', { body: { email, password } }),
  ]);
  expect(performance.now() - began).toBeLessThan(3 * 3_000);
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual(Array(2).fill([503, 'service_unavailable']));
  const { query_timeout: longestMs } = databaseOptions({ DATABASE_URL: line.url }).extra as { query_timeout: number };
  expect(longestMs).toBeLessThan(3_000);
});

it('a request without a database gets Retry-After', async () => {
  line.cut();
  const { status, body } = await accounts.ask('GET', '/v1/auth/me', { token: person.token });
  expect([status, body.error]).toEqual([503, 'service_unavailable']);
});

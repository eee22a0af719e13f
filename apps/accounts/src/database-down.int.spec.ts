import { poolsOf } from '@evenkeel/platform/persistence';
import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { ask } from '@evenkeel/platform/testing/service';
import { DataSource } from 'typeorm';
import { Accounts, type Person } from './accounts.fixture';
import { databaseOptions } from './database';

let accounts: Accounts;
let line: DatabaseLine;
let person: Person;
beforeAll(async () => {
  accounts = await Accounts.start({}, async (url) => (line = await DatabaseLine.to(url)).url);
  person = await accounts.person();
  await accounts.ask('POST', '/v1/habits', { token: person.token, body: { name: 'Run' } });
});
afterAll(() => accounts.close());

const me = () => accounts.ask('GET', '/v1/auth/me', { token: person.token });
const login = () => {
  const { email, password } = person;
  return accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
};
const UNAVAILABLE = { status: 503, body: { error: 'service_unavailable' } };

it('is ready with its database, and a request that a lock outlasts gets Retry-After', async () => {
  const { body } = await ask(`${accounts.running.internalUrl}/health/ready`);
  expect(body).toEqual({ status: 'ready', checks: { database: true } });
  const runner = accounts.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE sessions IN EXCLUSIVE MODE');
  const refused = await login();
  await runner.rollbackTransaction();
  await runner.release();
  expect(refused).toMatchObject(UNAVAILABLE);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await login()).status).toBe(200);
});

it.each([
  [150, 200, 1, 20_000],
  [500, 503, 0, 5_000],
])('an analysis over connections that are %i ms late is a %i', async (lateMs, status, counted, withinMs) => {
  const used = async () =>
    (await accounts.sql<{ used: number }>('SELECT used FROM usage_months WHERE user_id = $1', person.id))[0]?.used ?? 0;
  const before = await used();
  line.cut();
  const pools = poolsOf(accounts.app.get(DataSource));
  await eventually(() => expect(pools.filter(({ totalCount }) => totalCount > 0)).toEqual([]));
  line.answerLate(lateMs);
  await line.mend();
  const began = performance.now();
  const answer = await accounts.ask('POST', '/v1/habits/analyze', { token: person.token });
  expect(performance.now() - began).toBeLessThan(withinMs);
  line.answerLate(0);
  expect([answer.status, (await used()) - before]).toEqual([status, counted]);
});

it('a request gets Retry-After within three seconds when the database hangs, signed in or not, and when it is away', async () => {
  line.hang();
  const began = performance.now();
  for (const answer of await Promise.all([me(), login()])) expect(answer).toMatchObject(UNAVAILABLE);
  expect(performance.now() - began).toBeLessThan(3 * 3_000);
  const { query_timeout: longestMs } = databaseOptions({ DATABASE_URL: line.url }).extra as { query_timeout: number };
  expect(longestMs).toBeLessThan(3_000);
  line.cut();
  expect(await me()).toMatchObject(UNAVAILABLE);
});

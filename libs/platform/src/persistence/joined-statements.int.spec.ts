import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createTestDatabase, DatabaseLine, eventually, RoundTrips, type TestDatabase } from '../testing';
import { JoinedStatements, openPool, postgresOptions } from './index';
import { mint } from './persistence.fixture';

const KEY = 7;
const ONE = { name: 'one', text: 'SELECT 1 AS one' };

let database: TestDatabase;
let line: DatabaseLine;
let pool: Pool;
let joined: JoinedStatements;
beforeEach(async () => {
  database = await createTestDatabase(mint);
  line = await DatabaseLine.to(database.url);
});
afterEach(async () => {
  await pool.end();
  line.cut();
  await database.drop();
});

const open = (max: number, statementMs = 10_000) => {
  pool = openPool(postgresOptions({ ...mint, url: line.url, statementMs }), { max });
  joined = new JoinedStatements(pool);
};
const one = async () => (await joined.query<{ one: number }>(ONE)).rows;
const free = () => [pool.idleCount === pool.totalCount, pool.waitingCount];

it('nobody waits for the answer of another: those that come one after the other take one round trip of one connection', async () => {
  const trips = new RoundTrips();
  open(1);
  await one();
  const waits = trips.of(async () => {
    const asked = [];
    for (let count = 0; count < 5; count++) {
      asked.push(one());
      await nextTurn();
    }
    expect(await Promise.all(asked)).toEqual(Array(5).fill([{ one: 1 }]));
  });
  expect(await waits).toBe(1);
  trips.close();
  expect([pool.totalCount, ...free()]).toEqual([1, true, 0]);
});

it('what is asked for while a connection is opened is sent on it', async () => {
  open(1);
  expect(await Promise.all([one(), one(), one()])).toEqual(Array(3).fill([{ one: 1 }]));
  expect([pool.totalCount, ...free()]).toEqual([1, true, 0]);
});

it('what one connection hangs with leaves the other free', async () => {
  open(2);
  await Promise.all([one(), one()]);
  await eventually(() => expect([pool.totalCount, ...free()]).toEqual([2, true, 0]));
  const runner = database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('SELECT pg_advisory_xact_lock($1)', [KEY]);
  const hung = joined.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [KEY] }).catch((error: Error) => error);
  for (let count = 0; count < 5; count++) expect(await one()).toEqual([{ one: 1 }]);
  await runner.rollbackTransaction();
  await runner.release();
  expect(await hung).not.toBeInstanceOf(Error);
  expect(free()).toEqual([true, 0]);
});

it('one statement that fails fails alone', async () => {
  open(1);
  const [failed, answered] = await Promise.allSettled([joined.query({ text: 'SELECT 1 / 0' }), one()]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(answered).toEqual({ status: 'fulfilled', value: [{ one: 1 }] });
  expect(await one()).toEqual([{ one: 1 }]);
});

it('when the database hangs or breaks off all are refused, and served once it is back', async () => {
  open(2, 500);
  await one();
  line.hang();
  const hung = await Promise.allSettled([one(), one(), one()]);
  expect(hung.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  await line.mend();
  await eventually(async () => expect(await one()).toEqual([{ one: 1 }]));
  line.cut();
  await expect(one()).rejects.toThrow();
  await line.mend();
  await eventually(async () => expect(await Promise.all([one(), one()])).toEqual(Array(2).fill([{ one: 1 }])));
  await eventually(() => expect(free()).toEqual([true, 0]));
});

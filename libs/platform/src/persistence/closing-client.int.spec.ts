import { getHeapSpaceStatistics } from 'node:v8';
import { createTestDatabase, type TestDatabase } from '../testing';
import { openPool, postgresOptions } from '.';
import { mint } from './persistence.fixture';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase(mint)));
afterAll(() => database.drop());

it('takes an answer that came while the process was held up for longer than a statement may take', async () => {
  const options = postgresOptions({ ...mint, url: database.url, statementMs: 100 });
  const pool = openPool(options, { max: 1 });
  const client = await pool.connect();
  const answer = client.query('SELECT 1 AS one');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
  expect((await answer).rows).toEqual([{ one: 1 }]);
  expect((await client.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  client.release();
  await pool.end();
});

it('holds nothing of a statement that is answered', async () => {
  const heldMb = () =>
    getHeapSpaceStatistics().find((one) => one.space_name === 'old_space')!.space_used_size / 2 ** 20;
  const before = heldMb();
  const answersOfHalfAMb = 60;
  for (let answer = 0; answer < answersOfHalfAMb; answer++) {
    await database.dataSource.query(
      `SELECT repeat('x', 20000) AS text, $1::text AS asked FROM generate_series(1, 25)`,
      ['a'],
    );
  }
  expect(heldMb() - before).toBeLessThan(answersOfHalfAMb / 2 / 3);
});

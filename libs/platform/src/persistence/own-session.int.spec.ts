import { startPgbouncer, type PgbouncerOptions } from '@evenkeel/services';
import { Client, Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing';
import { assertOwnSession, SharedSession } from './own-session';
import { mint } from './persistence.fixture';
import { TIMEOUTS } from './postgres-options';

jest.setTimeout(120_000);

/** The startup parameters of each connection of a service. */
const ASKED = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase(mint)));
afterAll(() => database.drop());

const pooled = (more: Partial<PgbouncerOptions>) =>
  startPgbouncer({ databaseUrl: database.url, poolMode: 'transaction', ignored: ASKED, ...more });

async function connected(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

async function examine(connectionString: string): Promise<void> {
  const client = await connected(connectionString);
  await assertOwnSession(client, new Client({ connectionString })).finally(() => client.end());
}

it('is content with PostgreSQL itself, and with a pooler in session mode', async () => {
  await examine(database.url);
  await using pooler = await pooled({ poolMode: 'session' });
  await examine(pooler.url);
});

it('finds a pooler in transaction mode, at rest and busy', async () => {
  await using pooler = await pooled({});
  await expect(examine(pooler.url)).rejects.toThrow(SharedSession);
  const others = new Pool({ connectionString: pooler.url, max: 5 });
  let busy = true;
  const work = Promise.all(
    Array.from({ length: 5 }, async () => {
      while (busy) await others.query('SELECT 1');
    }),
  );
  await expect(examine(pooler.url)).rejects.toThrow(SharedSession);
  busy = false;
  await work;
  await others.end();
});

describe('in transaction mode', () => {
  it('two relays hold the one lock', async () => {
    await using pooler = await pooled({});
    const [one, other] = [await connected(pooler.url), await connected(pooler.url)];
    const take = 'SELECT pg_try_advisory_lock(1) AS taken';
    const taken = [{ taken: true }];
    expect([(await one.query(take)).rows, (await other.query(take)).rows]).toEqual([taken, taken]);
    await Promise.all([one.end(), other.end()]);
  });

  it('a plan that one connection has prepared is not known to the next process', async () => {
    await using pooler = await pooled({});
    const [one, other] = [await connected(pooler.url), await connected(pooler.url)];
    const plan = { name: 'plan', text: 'SELECT 1 AS one' };
    await one.query(plan);
    await other.query('BEGIN');
    await expect(one.query(plan)).rejects.toThrow(/prepared statement "plan" (does not exist|already exists)/);
    await other.query('ROLLBACK');
    await Promise.all([one.end(), other.end()]);
  });
});

it('refuses the startup parameters of our connections, unless its settings ignore them', async () => {
  await using pooler = await pooled({ ignored: [] });
  const client = new Client({ connectionString: pooler.url, ...TIMEOUTS });
  await expect(client.connect()).rejects.toThrow(/unsupported startup parameter/);
});

import { startPgbouncer, type PgbouncerOptions } from '@evenkeel/services';
import { Client, Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing';
import { assertOwnSession, SharedSession } from './own-session';
import { mint } from './persistence.fixture';

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

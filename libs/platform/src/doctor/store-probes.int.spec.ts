import { startPgbouncer, type PgbouncerOptions } from '@evenkeel/services';
import { postgresOptions } from '../persistence';
import { mint } from '../persistence/persistence.fixture';
import { createTestDatabase, type TestDatabase } from '../testing';
import { databaseProbe } from './store-probes';
import type { Finding } from './finding';

/** The startup parameters of our connections. */
const ASKED = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase(mint)));
afterAll(() => database.drop());

async function found(url: string): Promise<Finding> {
  const config = { DATABASE_URL: url } as Parameters<typeof databaseProbe>[0];
  const [finding] = await databaseProbe(config, postgresOptions({ ...mint, url })).examine(5_000);
  return finding!;
}

async function behind(options: Omit<PgbouncerOptions, 'databaseUrl'>): Promise<Finding> {
  await using pooler = await startPgbouncer({ databaseUrl: database.url, ...options });
  return await found(pooler.url);
}

it.each<[string, Omit<PgbouncerOptions, 'databaseUrl'>, RegExp]>([
  [
    'shares sessions',
    { poolMode: 'transaction', ignored: ASKED },
    /pooler that shares sessions.*set pool_mode = session/,
  ],
  ['refuses limits', { poolMode: 'session' }, /unsupported startup parameter/],
  ['drops limits', { poolMode: 'session', ignored: ASKED }, /so no statement has a limit.*ALTER ROLE/],
])(
  'names a pooler that %s',
  async (_what, options, sentence) => {
    const says = expect.stringMatching(sentence) as string;
    expect(await behind(options)).toEqual({ subject: 'database', outcome: 'wrong', says });
  },
  60_000,
);

it('is content with PostgreSQL itself, and with a pooler in session mode where the user has limits and the zone', async () => {
  expect(await found(database.url)).toMatchObject({ outcome: 'ok' });
  const name = new URL(database.url).pathname.slice(1);
  await database.dataSource.query(`ALTER DATABASE ${name} SET statement_timeout = '3s'`);
  const says = expect.stringMatching(/so TimeZone is America\/New_York.*ALTER ROLE/) as string;
  expect(await behind({ poolMode: 'session', ignored: ASKED })).toMatchObject({ outcome: 'wrong', says });
  await database.dataSource.query(`ALTER DATABASE ${name} SET timezone = 'UTC'`);
  expect(await behind({ poolMode: 'session', ignored: ASKED })).toMatchObject({ outcome: 'ok' });
}, 60_000);

import { DataSource } from 'typeorm';
import { createTestDatabase, DatabaseLine, eventually, type TestDatabase } from '../testing';
import {
  ForeignDatabase,
  migrate,
  openPool,
  poolOf,
  postgresOptions,
  queryPrepared,
  retrySerialization,
  waitForSchema,
  type PostgresOptions,
} from '.';
import { TIMEOUTS } from './postgres-options';
import { CreateCoins1736847000000, mint } from './persistence.fixture';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase(mint)));
afterAll(() => database.drop());

/** A database without any table. */
const anEmptyDatabase = () => createTestDatabase({ name: 'empty', entities: [], migrations: [] });
const optionsOf = (url: string, more: Partial<PostgresOptions> = {}) => postgresOptions({ ...mint, url, ...more });

class LaterCoins1736847000001 extends CreateCoins1736847000000 {
  override up = () => Promise.resolve();
}
const laterMint = { ...mint, name: 'later mint', migrations: [...mint.migrations, LaterCoins1736847000001] };

describe('a connection', () => {
  const SETTINGS = [
    'application_name',
    'enable_hashjoin',
    'enable_mergejoin',
    'enable_seqscan',
    'idle_in_transaction_session_timeout',
    'lock_timeout',
    'plan_cache_mode',
    'statement_timeout',
    'synchronous_commit',
    'TimeZone',
  ];

  it.each<[string, Partial<PostgresOptions>, { max: number; lockTimeoutMs?: number }, string[]]>([
    ['puts an end to every wait', {}, { max: 1 }, ['', 'on', 'on', 'on', '5000', '2000', 'auto', '3000', 'on', 'UTC']],
    [
      'of a kind of its own keeps its plans, and has times of its own',
      { keepPlans: true, applicationName: 'beside', statementMs: 2_000 },
      { max: 2, lockTimeoutMs: 200 },
      ['beside', 'off', 'off', 'off', '5000', '200', 'force_generic_plan', '2000', 'on', 'UTC'],
    ],
  ])('%s', async (_, more, own, settings) => {
    const pool = openPool(optionsOf(database.url, more), own);
    const { rows } = await pool.query<{ setting: string }>(
      'SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY lower(name)',
      [SETTINGS],
    );
    expect(rows.map(({ setting }) => setting)).toEqual(settings);
    expect(pool.options.max).toBe(own.max);
    await pool.end();
  });

  it('keeps a prepared statement, which answers and fails as any other', async () => {
    const text = 'SELECT $1::integer / $2::integer AS part';
    await database.dataSource.transaction(async (tx) => {
      expect(await queryPrepared(tx, text, [6, 2])).toEqual([{ part: 3 }]);
      expect(await queryPrepared(tx, text, [8, 2])).toEqual([{ part: 4 }]);
      const kept = 'SELECT generic_plans + custom_plans AS uses FROM pg_prepared_statements WHERE statement = $1';
      expect(await tx.query(kept, [text])).toEqual([{ uses: '2' }]);
    });
    const failing = database.dataSource.transaction((tx) => queryPrepared(tx, text, [1, 0]));
    await expect(failing).rejects.toMatchObject({ name: 'QueryFailedError', driverError: { code: '22012' } });
  });

  it('that is lost while idle is replaced', async () => {
    const source = new DataSource(optionsOf(database.url, { applicationName: 'doomed' }));
    await source.initialize();
    await database.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed'`,
    );
    await eventually(() => poolOf(source).totalCount === 0);
    expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await source.destroy();
  });

  it('leaves no transaction open behind a statement that had no answer in time', async () => {
    const source = new DataSource(optionsOf(database.url, { statementMs: 1_000, poolMax: 1 }));
    await source.initialize();
    const hanging = source.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = 0`);
      await tx.query('INSERT INTO coins VALUES (7, 7)');
      await tx.query('SELECT pg_sleep(2.5)');
    });
    await expect(hanging).rejects.toThrow('Query read timeout');
    const open = `SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(2.5)' AND pid <> pg_backend_pid()`;
    await eventually(async () => expect(await database.dataSource.query(open)).toEqual([]));
    await source.transaction((tx) => tx.query('INSERT INTO coins VALUES (8, 8)'));
    expect(await source.query('DELETE FROM coins RETURNING id')).toEqual([[{ id: 8 }], 1]);
    await source.destroy();
  });

  it('that is new gets less time while the database hangs, and works again once it does not', async () => {
    const line = await DatabaseLine.to(database.url);
    const pool = openPool(optionsOf(line.url, { statementMs: 100 }), { max: 2 });
    await pool.query('SELECT 1');
    line.hang();
    await expect(pool.query('SELECT 1')).rejects.toThrow('Query read timeout');
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout expired');
    await line.mend();
    await eventually(async () => expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]));
    await pool.end();
    line.cut();
  });
});

describe('migrate', () => {
  it('runs each migration once, however many processes start together, and those that wait see it', async () => {
    await using empty = await anEmptyDatabase();
    const options = optionsOf(empty.url);
    await expect(waitForSchema(options, { withinMs: 0 })).rejects.toThrow(
      'lacks migrations after 0 s: CreateCoins1736847000000',
    );
    const waiting = waitForSchema(options, { withinMs: 20_000 });
    const results = await Promise.all([1, 2, 3].map(() => migrate(options)));
    expect(results.flat()).toEqual(['CreateCoins1736847000000']);
    await waiting;
    expect(await migrate(options)).toEqual([]);
  });

  it('waits for a database that is slow to let it in', async () => {
    await using empty = await anEmptyDatabase();
    const line = await DatabaseLine.to(empty.url);
    line.hang();
    const migrating = migrate(optionsOf(line.url));
    setTimeout(() => void line.mend(), TIMEOUTS.connectionTimeoutMillis + 500);
    expect(await migrating).toEqual(['CreateCoins1736847000000']);
    line.cut();
  });

  it('gives up on a table in use, and leaves no trace of the attempt', async () => {
    class ColourCoins1736847000001 extends CreateCoins1736847000000 {
      override async up(runner: Parameters<CreateCoins1736847000000['up']>[0]): Promise<void> {
        await runner.query('ALTER TABLE coins ADD COLUMN colour text');
      }
    }
    await using locked = await createTestDatabase(mint);
    const changed = optionsOf(locked.url, { migrations: [...mint.migrations, ColourCoins1736847000001] });
    await locked.dataSource.transaction(async (tx) => {
      await tx.query('LOCK TABLE coins IN ACCESS EXCLUSIVE MODE');
      await expect(migrate(changed)).rejects.toMatchObject({ driverError: { code: '55P03' } });
    });
    expect(await migrate(changed)).toEqual(['ColourCoins1736847000001']);
  });

  it('refuses the database of another service in a sentence, not that of a later release', async () => {
    class CreateNotes1736847000000 {
      up = () => Promise.reject(new Error('never asked for'));
      down = () => Promise.resolve();
    }
    await using foreign = await createTestDatabase(laterMint);
    // One of its migrations has a name that the mint has too.
    const notes = optionsOf(foreign.url, { migrations: [CreateNotes1736847000000, LaterCoins1736847000001] });
    const sentence =
      'The database in DATABASE_URL belongs to another service: it has CreateCoins1736847000000. Name a database of its own for each service.';
    await expect(migrate(notes)).rejects.toThrow(new ForeignDatabase(sentence));
    await expect(waitForSchema(notes)).rejects.toThrow(sentence);
    expect(await migrate(optionsOf(foreign.url))).toEqual([]);
  });

  it('is waited for, and who waits says when there is no database', async () => {
    const attempt = waitForSchema(optionsOf('postgres://nobody@127.0.0.1:1/nothing'), { withinMs: 0 });
    await expect(attempt).rejects.toThrow('could not be reached');
  });
});

describe('a transaction that lost against another', () => {
  it('is repeated', async () => {
    await database.dataSource.query('INSERT INTO coins VALUES (20, 0)');
    const addOne = () =>
      retrySerialization(() =>
        database.dataSource.transaction('SERIALIZABLE', async (tx) => {
          const [coin] = await tx.query<{ value_micros: string }[]>('SELECT value_micros FROM coins WHERE id = 20');
          await tx.query('UPDATE coins SET value_micros = $1 WHERE id = 20', [Number(coin!.value_micros) + 1]);
        }),
      );
    await Promise.all([addOne(), addOne(), addOne()]);
    const value = 'SELECT value_micros FROM coins WHERE id = 20';
    expect(await database.dataSource.query(value)).toEqual([{ value_micros: '3' }]);
  });

  it.each([
    ['40P01', 'call 4'],
    ['23505', 'call 1'],
  ])('is repeated three times at most, and for nothing else: %s', async (code, last) => {
    let calls = 0;
    const work = () => Promise.reject(Object.assign(new Error(`call ${++calls}`), { code }));
    await expect(retrySerialization(work)).rejects.toThrow(last);
  });
});

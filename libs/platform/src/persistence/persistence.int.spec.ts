import { DataSource } from 'typeorm';
import { createTestDatabase, DatabaseLine, eventually, type TestDatabase } from '../testing';
import {
  ForeignDatabase,
  migrate,
  openPool,
  poolOf,
  postgresOptions,
  queryPrepared,
  readMicros,
  retrySerialization,
  waitForSchema,
} from '.';
import { TIMEOUTS } from './postgres-options';
import { Coin, CreateCoins1736847000000, mint } from './persistence.fixture';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase(mint)));
afterAll(() => database.drop());

class LaterCoins1736847000001 extends CreateCoins1736847000000 {
  override up = () => Promise.resolve();
}

/** A database without any table. */
const anEmptyDatabase = () => createTestDatabase({ name: 'empty', entities: [], migrations: [] });
const coinOptions = (url: string) => postgresOptions({ ...mint, url });

describe('postgresOptions', () => {
  it('puts an end to every wait', async () => {
    const source = await new DataSource(coinOptions(database.url)).initialize();
    const settings = await source.query<{ name: string; setting: string }[]>(
      `SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout',
       'idle_in_transaction_session_timeout', 'plan_cache_mode') ORDER BY name`,
    );
    expect(settings).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '5000' },
      { name: 'lock_timeout', setting: '2000' },
      { name: 'plan_cache_mode', setting: 'auto' },
      { name: 'statement_timeout', setting: '3000' },
    ]);
    await source.destroy();
  });

  it('lets the database end a statement before the process gives it up', () => {
    const { extra } = postgresOptions({ ...mint, url: database.url, statementMs: 2_000 });
    expect(extra).toMatchObject({ statement_timeout: 2_000, query_timeout: 2_500, lock_timeout: 2_000 });
  });

  it('reuses plans on request', async () => {
    const source = new DataSource(postgresOptions({ ...mint, url: database.url, keepPlans: true }));
    await source.initialize();
    expect(await source.query('SHOW plan_cache_mode')).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
    expect(await source.query('SHOW enable_seqscan')).toEqual([{ enable_seqscan: 'off' }]);
    await source.destroy();
  });

  it('keeps a prepared statement for its connection, and answers and fails as the data source does', async () => {
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

  it('survives the loss of idle connections', async () => {
    const lost: Error[] = [];
    const options = postgresOptions({ ...mint, url: database.url, onPoolError: (error) => lost.push(error) });
    const source = new DataSource({ ...options, applicationName: 'doomed' } as typeof options);
    await source.initialize();
    await database.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed'`,
    );
    await eventually(() => expect(lost).toHaveLength(1));
    expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await source.destroy();
  });

  it('leaves no transaction open behind a statement that had no answer in time', async () => {
    const options = postgresOptions({ ...mint, url: database.url, statementMs: 1_000, poolMax: 1 });
    const source = new DataSource(options);
    await source.initialize();
    const hanging = source.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = 0`);
      await tx.query('INSERT INTO coins VALUES (7, 7)');
      await tx.query('SELECT pg_sleep(2.5)');
    });
    await expect(hanging).rejects.toThrow('Query read timeout');
    await eventually(async () => {
      const [{ open }] = await database.dataSource.query<[{ open: number }]>(
        `SELECT count(*)::integer AS open FROM pg_stat_activity WHERE query LIKE '%pg_sleep(2.5)' AND pid <> pg_backend_pid()`,
      );
      expect(open).toBe(0);
    });
    await source.transaction((tx) => tx.query('INSERT INTO coins VALUES (8, 8)'));
    expect(await source.query('DELETE FROM coins RETURNING id')).toEqual([[{ id: 8 }], 1]);
    await source.destroy();
  });

  it('gives a new connection less time while the database hangs, and works again once it does not', async () => {
    const line = await DatabaseLine.to(database.url);
    const pool = openPool(postgresOptions({ ...mint, url: line.url, statementMs: 100 }), { max: 2 });
    await pool.query('SELECT 1');
    line.hang();
    await expect(pool.query('SELECT 1')).rejects.toThrow('Query read timeout');
    await expect(pool.query('SELECT 1')).rejects.toThrow('timeout expired');
    await line.mend();
    await eventually(async () => expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]));
    await pool.end();
    line.cut();
  });

  it('bounds the pool', async () => {
    expect(poolOf(database.dataSource).options.max).toBe(5);
  });
});

describe('openPool', () => {
  it('has the limits of the data source, and a time of its own for locks', async () => {
    const options = postgresOptions({ ...mint, url: database.url, keepPlans: true, applicationName: 'beside' });
    const pool = openPool(options, { max: 2, lockTimeoutMs: 200 });
    const { rows } = await pool.query<{ setting: string }>(
      `SELECT setting FROM pg_settings WHERE name IN ('application_name', 'lock_timeout', 'plan_cache_mode',
       'statement_timeout', 'synchronous_commit') ORDER BY name`,
    );
    expect(rows.map(({ setting }) => setting)).toEqual(['beside', '200', 'force_generic_plan', '3000', 'on']);
    expect(pool.options.max).toBe(2);
    await pool.end();
  });
});

describe('microsColumn', () => {
  it('reads micro-USD as numbers', async () => {
    const coins = database.dataSource.getRepository(Coin);
    await coins.insert([
      { id: 1, valueMicros: Number.MAX_SAFE_INTEGER },
      { id: 2, valueMicros: null },
    ]);
    expect(await coins.find({ order: { id: 'ASC' } })).toEqual([
      { id: 1, valueMicros: Number.MAX_SAFE_INTEGER },
      { id: 2, valueMicros: null },
    ]);
  });

  it('refuses what a number cannot hold', () => {
    expect(() => readMicros('9007199254740993')).toThrow(RangeError);
  });
});

describe('migrate', () => {
  it('runs each migration once, however many processes start together', async () => {
    await using empty = await anEmptyDatabase();
    const results = await Promise.all([1, 2, 3].map(() => migrate(coinOptions(empty.url))));
    expect(results.flat()).toEqual(['CreateCoins1736847000000']);
    expect(await migrate(coinOptions(empty.url))).toEqual([]);
  });

  it('waits for a database that is slow to let it in', async () => {
    await using empty = await anEmptyDatabase();
    const line = await DatabaseLine.to(empty.url);
    line.hang();
    const migrating = migrate(coinOptions(line.url));
    const slow = setTimeout(() => void line.mend(), TIMEOUTS.connectionTimeoutMillis + 500);
    expect(await migrating).toEqual(['CreateCoins1736847000000']);
    clearTimeout(slow);
    line.cut();
  });

  it('gives up on a table in use, and leaves no trace of the attempt', async () => {
    class LockCoins1736847000001 extends CreateCoins1736847000000 {
      override async up(runner: Parameters<CreateCoins1736847000000['up']>[0]): Promise<void> {
        await runner.query('ALTER TABLE coins ADD COLUMN colour text');
      }
    }
    const changed = { ...mint, name: 'locked', migrations: [...mint.migrations, LockCoins1736847000001] };
    await using locked = await createTestDatabase(mint);
    await locked.dataSource.transaction(async (tx) => {
      await tx.query('LOCK TABLE coins IN ACCESS EXCLUSIVE MODE');
      const attempt = migrate(postgresOptions({ ...changed, url: locked.url }));
      await expect(attempt).rejects.toMatchObject({ driverError: { code: '55P03' } });
    });
    expect(await migrate(postgresOptions({ ...changed, url: locked.url }))).toEqual(['LockCoins1736847000001']);
  });
});

describe('the database of another service', () => {
  class CreateNotes1736847000000 {
    up = () => Promise.reject(new Error('never asked for'));
    down = () => Promise.resolve();
  }
  /** Has a migration of its own, and one with a name that the mint has too. */
  const notes = { ...mint, name: 'notes', migrations: [CreateNotes1736847000000, LaterCoins1736847000001] };

  it('is refused in a sentence, and stays as it is', async () => {
    const ofTheMint = { ...mint, name: 'whole mint', migrations: [...mint.migrations, LaterCoins1736847000001] };
    await using foreign = await createTestDatabase(ofTheMint);
    const options = postgresOptions({ ...notes, url: foreign.url });
    const sentence =
      'The database in DATABASE_URL belongs to another service: it has CreateCoins1736847000000. Name a database of its own for each service.';
    await expect(migrate(options)).rejects.toThrow(new ForeignDatabase(sentence));
    await expect(waitForSchema(options)).rejects.toThrow(sentence);
    expect(await migrate(postgresOptions({ ...ofTheMint, url: foreign.url }))).toEqual([]);
  });

  it('is not that of a later release of the same one', async () => {
    await using newer = await createTestDatabase({
      ...mint,
      name: 'newer mint',
      migrations: [...mint.migrations, LaterCoins1736847000001],
    });
    expect(await migrate(coinOptions(newer.url))).toEqual([]);
  });
});

describe('waitForSchema', () => {
  it('resolves when another process has migrated', async () => {
    await using empty = await anEmptyDatabase();
    const waiting = waitForSchema(coinOptions(empty.url), { withinMs: 20_000 });
    await migrate(coinOptions(empty.url));
    await expect(waiting).resolves.toBeUndefined();
  });

  it('names what is missing', async () => {
    await using empty = await anEmptyDatabase();
    const attempt = waitForSchema(coinOptions(empty.url), { withinMs: 0 });
    await expect(attempt).rejects.toThrow('lacks migrations after 0 s: CreateCoins1736847000000');
  });

  it('says when there is no database', async () => {
    const attempt = waitForSchema(coinOptions('postgres://nobody@127.0.0.1:1/nothing'), { withinMs: 0 });
    await expect(attempt).rejects.toThrow('could not be reached');
  });
});

describe('retrySerialization', () => {
  it('repeats a transaction that lost against another', async () => {
    await database.dataSource.getRepository(Coin).insert({ id: 20, valueMicros: 0 });
    const addOne = () =>
      retrySerialization(() =>
        database.dataSource.transaction('SERIALIZABLE', async (tx) => {
          const [coin] = await tx.query<{ value_micros: string }[]>('SELECT value_micros FROM coins WHERE id = 20');
          await tx.query('UPDATE coins SET value_micros = $1 WHERE id = 20', [readMicros(coin!.value_micros) + 1]);
        }),
      );
    await Promise.all([addOne(), addOne(), addOne()]);
    const coin = await database.dataSource.getRepository(Coin).findOneByOrFail({ id: 20 });
    expect(coin.valueMicros).toBe(3);
  });

  it('repeats three times at most, and nothing else at all', async () => {
    const failing = (code: string) => {
      let calls = 0;
      const work = () => Promise.reject(Object.assign(new Error(`call ${++calls}`), { code }));
      return retrySerialization(work);
    };
    await expect(failing('40P01')).rejects.toThrow('call 4');
    await expect(failing('23505')).rejects.toThrow('call 1');
    await expect(retrySerialization(() => Promise.reject(undefined as unknown as Error))).rejects.toBeUndefined();
  });
});

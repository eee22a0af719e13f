import { DataSource, type EntityManager } from 'typeorm';
import { createTestDatabase, RoundTrips, type TestDatabase } from '../testing';
import { onOneConnection, poolOf, postgresOptions, together, transactTogether } from './index';
import { mint } from './persistence.fixture';

const ADD = 'INSERT INTO coins (id) VALUES ($1)';
const LEVEL = 'SELECT current_setting($1) AS level';

let database: TestDatabase;
let source: DataSource;
let trips: RoundTrips;
beforeAll(async () => {
  trips = new RoundTrips();
  database = await createTestDatabase(mint);
  // One connection: what a transaction leaves open, the next statement would be in.
  source = new DataSource(postgresOptions({ ...mint, url: database.url, poolMax: 1 }));
  await source.initialize();
});
afterAll(async () => {
  await source.destroy();
  await database.drop();
  trips.close();
});
afterEach(() => database.dataSource.query('DELETE FROM coins'));

/** As everybody else sees them. */
const coins = async () => {
  const rows = await database.dataSource.query<{ id: number }[]>('SELECT id FROM coins ORDER BY id');
  return rows.map(({ id }) => id);
};

describe('a transaction', () => {
  it('begins with its first statement, and waits once for what is asked for together', async () => {
    const waits = trips.of(() =>
      source.transaction(async (tx) => {
        const [, rows] = await together([tx.query(ADD, [1]), tx.query('SELECT id FROM coins WHERE id = $1', [1])]);
        expect(rows).toEqual([{ id: 1 }]);
        expect(await coins()).toEqual([]);
      }),
    );
    expect(await waits).toBe(3);
    expect(await coins()).toEqual([1]);
  });

  it.each([
    ['with values', [1]],
    ['without values', undefined],
  ])('leaves nothing behind when its first statement, %s, or a later one fails', async (_, values) => {
    const text = values ? ADD : 'INSERT INTO coins (id) VALUES (1)';
    const failing = source.transaction(async (tx) => {
      await tx.query(text, values);
      await tx.query(ADD, [1]);
    });
    await expect(failing).rejects.toMatchObject({ driverError: { code: '23505' } });
    await source.query(ADD, [2]);
    expect(await coins()).toEqual([2]);
    const refused = source.transaction((tx) =>
      tx.query(values ? ADD : 'INSERT INTO coins (id) VALUES (2)', values && [2]),
    );
    await expect(refused).rejects.toMatchObject({ driverError: { code: '23505' } });
    await source.query(ADD, [3]);
    expect(await coins()).toEqual([2, 3]);
  });

  it('has the isolation that was asked for', async () => {
    const level = (isolation: 'SERIALIZABLE' | 'REPEATABLE READ') =>
      source.transaction(isolation, (tx) => tx.query(LEVEL, ['transaction_isolation']));
    expect(await level('REPEATABLE READ')).toEqual([{ level: 'repeatable read' }]);
    expect(await level('SERIALIZABLE')).toEqual([{ level: 'serializable' }]);
    expect(await source.query(LEVEL, ['transaction_isolation'])).toEqual([{ level: 'read committed' }]);
  });

  it('may have no statement, or fail before one', async () => {
    await source.transaction(async () => undefined);
    await expect(source.transaction(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await source.query(ADD, [1]);
    expect(await coins()).toEqual([1]);
  });

  it('that cannot begin does nothing', async () => {
    const client = await poolOf(source).connect();
    await client.query('START TRANSACTION');
    await client.query('SET TRANSACTION ISOLATION LEVEL NONE');
    await expect(client.query(ADD, [1])).rejects.toMatchObject({ code: '42601' });
    await client.query('ROLLBACK');
    await client.query(ADD, [2]);
    client.release();
    expect(await coins()).toEqual([2]);
  });
});

describe('together', () => {
  it('throws the first error once all have ended: no second step comes behind the ROLLBACK', async () => {
    const refusal = new Error('refused');
    const failing = source.transaction((tx) =>
      together([
        tx.query(ADD, [1]).then(() => Promise.reject(refusal)),
        tx
          .query(ADD, [2])
          .then(() => tx.query(ADD, [3]))
          .then(() => tx.query(ADD, [4])),
      ]),
    );
    await expect(failing).rejects.toBe(refusal);
    expect(await coins()).toEqual([]);
  });
});

describe('transactTogether', () => {
  it('waits once, COMMIT included, and returns the answers', async () => {
    const waits = trips.of(async () => {
      const [, rows] = await transactTogether(source, (tx) => [
        tx.query(ADD, [1]),
        tx.query(LEVEL, ['server_encoding']),
      ]);
      expect(rows).toEqual([{ level: 'UTF8' }]);
    });
    expect(await waits).toBe(1);
    expect(await coins()).toEqual([1]);
  });

  it.each([
    ['first', [1, 2, 3]],
    ['last', [2, 3, 1]],
  ])('leaves nothing behind when its %s statement fails', async (_, ids) => {
    await source.query(ADD, [1]);
    const failing = transactTogether(source, (tx) => ids.map((id) => tx.query(ADD, [id])));
    await expect(failing).rejects.toMatchObject({ driverError: { code: '23505' } });
    await source.query(ADD, [4]);
    expect(await coins()).toEqual([1, 4]);
  });

  it('keeps statements in their order, also where the first has no values', async () => {
    const statements = (tx: EntityManager) => [
      tx.query('INSERT INTO coins (id) VALUES (1)'),
      tx.query('UPDATE coins SET id = id + $1', [1]),
    ];
    await transactTogether(source, statements);
    expect(await coins()).toEqual([2]);
    const failing = transactTogether(source, (tx) => [
      tx.query('INSERT INTO coins (id) VALUES (3)'),
      tx.query(ADD, [2]),
    ]);
    await expect(failing).rejects.toMatchObject({ driverError: { code: '23505' } });
    expect(await coins()).toEqual([2]);
  });

  it('begins nothing when its statements cannot be made', async () => {
    const failing = transactTogether(source, () => {
      throw new Error('no statement');
    });
    await expect(failing).rejects.toThrow('no statement');
    await source.query(ADD, [1]);
    expect(await coins()).toEqual([1]);
  });

  it('waits for what comes before its last statements, and once for those and COMMIT', async () => {
    const waits = trips.of(() =>
      transactTogether(source, async (tx) => {
        await tx.query(ADD, [1]);
        return [tx.query(ADD, [2]), tx.query(ADD, [3])];
      }),
    );
    expect(await waits).toBe(2);
    expect(await coins()).toEqual([1, 2, 3]);
  });

  it.each([
    ['what comes before refuses', () => Promise.reject(new Error('refused'))],
    ['a last statement fails', (tx: EntityManager) => Promise.resolve([tx.query(ADD, [2]), tx.query(ADD, [1])])],
  ])('leaves nothing behind when %s', async (_, last) => {
    const failing = transactTogether(source, async (tx) => {
      await tx.query(ADD, [1]);
      return last(tx);
    });
    await expect(failing).rejects.toThrow();
    await source.query(ADD, [4]);
    expect(await coins()).toEqual([4]);
  });

  it('goes on a connection that is already there', async () => {
    await onOneConnection(source, async (on) => {
      await transactTogether(on, (tx) => [tx.query(ADD, [1])]);
      expect(await coins()).toEqual([1]);
    });
  });
});

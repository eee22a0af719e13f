import { migrate, postgresOptions } from '@evenkeel/platform/persistence';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../database';
import { ProgressPerSubscription1795435200000 } from '../migrations/20261123120000-progress-per-subscription';

const place = MIGRATIONS.indexOf(ProgressPerSubscription1795435200000);
const PROGRESS = 'SELECT applied::integer, unread::integer FROM progress';

let database: TestDatabase;
beforeAll(async () => {
  const migrations = MIGRATIONS.slice(0, place);
  database = await createTestDatabase({ name: 'reporting before', entities: [], migrations });
});
afterAll(() => database.drop());

it('the migration keeps progress and open requests, and is undone without loss', async () => {
  await database.dataSource.query('UPDATE progress SET applied = 7, unread = 2');
  await database.dataSource.query('INSERT INTO rebuilds DEFAULT VALUES');
  const { url } = database;
  const options = postgresOptions({ url, entities: [], migrations: MIGRATIONS.slice(0, place + 1) });
  await migrate(options);
  expect(await database.dataSource.query(`${PROGRESS} WHERE subscription = 'reporting'`)).toEqual([
    { applied: 7, unread: 2 },
  ]);
  // As the release before it asks.
  await database.dataSource.query('INSERT INTO rebuilds DEFAULT VALUES');
  expect(await database.dataSource.query('SELECT DISTINCT subscription FROM rebuilds')).toEqual([
    { subscription: 'reporting' },
  ]);

  const source = await new DataSource(options).initialize();
  await source.undoLastMigration().finally(() => source.destroy());
  expect(await database.dataSource.query(PROGRESS)).toEqual([{ applied: 7, unread: 2 }]);
  await expect(database.dataSource.query('INSERT INTO progress DEFAULT VALUES')).rejects.toThrow();
});

import { Coin, mint } from '../persistence/persistence.fixture';
import { createTestDatabase } from './test-database';

it('gives every suite a migrated database of its own', async () => {
  await using first = await createTestDatabase(mint);
  await using second = await createTestDatabase(mint);

  await first.dataSource.getRepository(Coin).insert({ id: 1, valueMicros: 2_500_000 });

  expect(await first.dataSource.getRepository(Coin).find()).toEqual([{ id: 1, valueMicros: 2_500_000 }]);
  expect(await second.dataSource.getRepository(Coin).count()).toBe(0);
});

it('lets a test wait longer than a request of the product may', async () => {
  await using database = await createTestDatabase(mint);
  expect(await database.dataSource.query('SELECT 1 AS one FROM pg_sleep(4.5)')).toEqual([{ one: 1 }]);
});

it('makes the template once when many ask at the same time', async () => {
  const app = { ...mint, name: 'mint in a hurry' };
  const databases = await Promise.all(Array.from({ length: 4 }, () => createTestDatabase(app)));
  for (const { dataSource } of databases) expect(await dataSource.getRepository(Coin).count()).toBe(0);
  await Promise.all(databases.map((database) => database.drop()));
});

it('removes the database when it is dropped', async () => {
  const database = await createTestDatabase(mint);
  await database.drop();
  await expect(createAgain(database.url)).rejects.toMatchObject({ code: '3D000' });
});

async function createAgain(url: string): Promise<void> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.end();
}

import { APP_NAMES } from '@evenkeel/contracts';
import { migrate, postgresOptions } from '@evenkeel/platform/persistence';
import { createTestDatabase } from '@evenkeel/platform/testing';
import { MIGRATIONS, ROOT } from './command';
import { NoRelease, Release } from './release';
import { breakingChanges, differencesBetween, type Schema, schemaOf } from './schema';

const TABLES = `
  CREATE SCHEMA audit;
  CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, total integer NOT NULL DEFAULT 0, note text);
  CREATE TABLE returns (order_id bigint NOT NULL, unread text);
  CREATE VIEW audit.orders AS SELECT id, total FROM orders`;
const isUsed = (name: string): Promise<boolean> => Promise.resolve(name !== 'unread');

async function schemasAround(change: string): Promise<[Schema, Schema]> {
  await using database = await createTestDatabase({ name: 'shop', entities: [], migrations: [] });
  await database.dataSource.query(TABLES);
  const before = await schemaOf(database.url);
  await database.dataSource.query(change);
  return [before, await schemaOf(database.url)];
}

const brokenBy = async (change: string): Promise<string[]> => breakingChanges(...(await schemasAround(change)), isUsed);

it.each([
  ['DROP TABLE returns', 'returns is gone, or has another name.'],
  ['ALTER TABLE returns RENAME TO refunds', 'returns is gone, or has another name.'],
  ['ALTER TABLE orders DROP COLUMN note', 'orders.note is gone, or has another name.'],
  ['ALTER TABLE orders RENAME COLUMN note TO remark', 'orders.note is gone, or has another name.'],
  ['DROP VIEW audit.orders', 'audit.orders is gone, or has another name.'],
  ['ALTER TABLE orders ALTER COLUMN note TYPE jsonb USING NULL', 'orders.note is jsonb, and was text.'],
  ['ALTER TABLE orders ALTER COLUMN note SET NOT NULL', 'orders.note may not be null any more.'],
  [
    'ALTER TABLE returns ALTER COLUMN order_id DROP NOT NULL; ALTER TABLE orders ALTER COLUMN total DROP DEFAULT',
    'orders.total has lost its default, and may not be null.',
  ],
  [
    'ALTER TABLE orders ADD COLUMN currency text NOT NULL',
    'orders.currency is new, may not be null and has no default.',
  ],
])('%s stops the code before it', async (change, sentence) => expect(await brokenBy(change)).toEqual([sentence]));

it.each([
  ['a new table', 'CREATE TABLE carts (id bigint NOT NULL)'],
  ['a column that may be null', 'ALTER TABLE orders ADD COLUMN currency text'],
  ['a column with a default', "ALTER TABLE orders ADD COLUMN currency text NOT NULL DEFAULT 'USD'"],
  ['an index', 'CREATE INDEX returned ON returns (order_id)'],
  ['less that is demanded', 'ALTER TABLE returns ALTER COLUMN order_id DROP NOT NULL'],
  ['to take away what nobody names any more', 'ALTER TABLE returns DROP COLUMN unread'],
])('the code before it goes on with %s', async (_what, change) => expect(await brokenBy(change)).toEqual([]));

it('finds where two databases differ', async () => {
  const [one, other] = await schemasAround('ALTER TABLE returns DROP COLUMN unread, ADD COLUMN day date');
  expect(differencesBetween(one, one)).toEqual([]);
  expect(differencesBetween(one, other)).toEqual([
    'returns.unread: text here, nothing there.',
    'returns.day: nothing here, date there.',
  ]);
});

it.each(APP_NAMES)('what is new in %s since the last release leaves the code of that running', async (app) => {
  const release = await Release.of(ROOT).catch((error: Error) => error);
  // Before the first one there is no code that must go on.
  if (release instanceof NoRelease) return;
  if (release instanceof Error) throw release;
  const migrations = MIGRATIONS[app];
  const released = await release.migrations(app);
  const names = migrations.map(({ name }) => name);
  expect([...released].filter((name) => !names.includes(name))).toEqual([]);
  if (names.length === released.size) return;
  await using database = await createTestDatabase({
    name: `${app} released`,
    entities: [],
    migrations: migrations.filter(({ name }) => released.has(name)),
  });
  const before = await schemaOf(database.url);
  await migrate(postgresOptions({ url: database.url, entities: [], migrations }));
  const isNamed = async (word: string) => (await release.usesOf(word, app)).length > 0;
  expect(await breakingChanges(before, await schemaOf(database.url), isNamed)).toEqual([]);
});

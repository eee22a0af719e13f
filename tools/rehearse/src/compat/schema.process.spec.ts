import { createTestDatabase } from '@evenkeel/platform/testing';
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

it.each([
  ['DROP TABLE returns', 'returns is gone, or has another name.'],
  ['ALTER TABLE returns RENAME TO refunds', 'returns is gone, or has another name.'],
  ['ALTER TABLE orders DROP COLUMN note', 'orders.note is gone, or has another name.'],
  ['DROP VIEW audit.orders', 'audit.orders is gone, or has another name.'],
  ['ALTER TABLE orders ALTER COLUMN note TYPE jsonb USING NULL', 'orders.note is jsonb, and was text.'],
  ['ALTER TABLE orders ALTER COLUMN note SET NOT NULL', 'orders.note may not be null any more.'],
  ['ALTER TABLE orders ALTER COLUMN total DROP DEFAULT', 'orders.total has lost its default, and may not be null.'],
  ['ALTER TABLE orders ADD COLUMN unit text NOT NULL', 'orders.unit is new, may not be null and has no default.'],
  ['CREATE TABLE carts (id bigint NOT NULL)', undefined],
  ['ALTER TABLE orders ADD COLUMN currency text', undefined],
  ["ALTER TABLE orders ADD COLUMN currency text NOT NULL DEFAULT 'USD'", undefined],
  ['ALTER TABLE returns ALTER COLUMN order_id DROP NOT NULL', undefined],
  ['ALTER TABLE returns DROP COLUMN unread', undefined],
])('%s: the code before it stops with %s', async (change, sentence) => {
  const [before, after] = await schemasAround(change);
  expect(await breakingChanges(before, after, isUsed)).toEqual(sentence === undefined ? [] : [sentence]);
});

it('finds where two databases differ', async () => {
  const [one, other] = await schemasAround('ALTER TABLE returns DROP COLUMN unread, ADD COLUMN day date');
  expect(differencesBetween(one, one)).toEqual([]);
  expect(differencesBetween(one, other)).toEqual([
    expect.stringMatching(/^returns.unread: .*"text".* here, nothing there\.$/),
    expect.stringMatching(/^returns.day: nothing here, .*"date".* there\.$/),
  ]);
});

import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import fc from 'fast-check';
import { inputRows } from './batched-statements';

const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const anyItem = fc.record({
  yes: orNull(fc.boolean()),
  body: orNull(fc.uint8Array({ maxLength: 20_000 }).map((bytes) => Buffer.from(bytes))),
  micros: orNull(fc.maxSafeInteger()),
  small: orNull(fc.integer({ min: -32_768, max: 32_767 })),
  whole: orNull(fc.integer()),
  // PostgreSQL stores no text with a NUL.
  name: orNull(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
  at: orNull(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })),
  id: orNull(fc.uuid()),
});
type Item = typeof anyItem extends fc.Arbitrary<infer Any> ? Any : never;

const input = inputRows<Item>([
  ['yes', 'boolean', ({ yes }) => yes],
  ['body', 'bytea', ({ body }) => body],
  ['micros', 'bigint', ({ micros }) => micros],
  ['small', 'smallint', ({ small }) => small],
  ['whole', 'integer', ({ whole }) => whole],
  ['name', 'text', ({ name }) => name],
  ['at', 'timestamptz', ({ at }) => at],
  ['id', 'uuid', ({ id }) => id],
]);
const [nothing] = fc.sample(
  anyItem.map((item) => Object.fromEntries(Object.keys(item).map((key) => [key, null]))),
  1,
);

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase({ name: 'input rows', entities: [], migrations: [] })));
afterAll(() => database.drop());

async function read(items: Item[]): Promise<Item[]> {
  const rows = await database.dataSource.query<(Item & { micros: string | null })[]>(input.rows, input.values(items));
  return rows.map((row) => ({ ...row, micros: row.micros === null ? null : Number(row.micros) }));
}

it('gives back any items as they were', async () => {
  const anyItems = fc.array(anyItem, { minLength: 1, maxLength: 64 });
  await fc.assert(fc.asyncProperty(anyItems, async (items) => expect(await read(items)).toEqual(items)));
});

it('replaces half of a pair, which no text of PostgreSQL holds', async () => {
  const [row] = await read([{ ...nothing, name: 'a\ud800b\udc00😀' } as Item]);
  expect(row!.name).toBe('a\ufffdb\ufffd😀');
});

it.each([
  ['a uuid of other letters', { id: 'g1a2028e-4b6e-7823-a31b-f97a0e962306' }],
  ['a number that is too large', { small: 99_999 }],
  ['half a number', { micros: 0.5 }],
  ['a text with a NUL', { name: 'a\0b' }],
])('is refused as data for %s, so that a batch knows it for a bad row', async (_, bad) => {
  await expect(read([nothing as Item, { ...nothing, ...bad } as Item])).rejects.toMatchObject({
    code: expect.stringMatching(/^22/) as string,
  });
});

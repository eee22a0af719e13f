import { createTestDatabase, type TestDatabase } from '../testing';
import fc from 'fast-check';
import { inputRows } from './batched-statements';

interface Item {
  yes: boolean | null;
  body: Buffer | null;
  micros: number | null;
  small: number | null;
  whole: number | null;
  name: string | null;
  at: Date | null;
  id: string | null;
}

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

const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const anyItem: fc.Arbitrary<Item> = fc.record({
  yes: orNull(fc.boolean()),
  body: orNull(fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes))),
  micros: orNull(fc.maxSafeInteger()),
  small: orNull(fc.integer({ min: -32_768, max: 32_767 })),
  whole: orNull(fc.integer()),
  // PostgreSQL stores no text with a NUL.
  name: orNull(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
  at: orNull(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })),
  id: orNull(fc.uuid()),
});

describe('inputRows in PostgreSQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ name: 'input rows', entities: [], migrations: [] });
  });
  afterAll(() => database.drop());

  const read = async (items: Item[]): Promise<Item[]> => {
    const text = items.length === 1 ? input.one : input.many;
    const rows = await database.dataSource.query<(Item & { micros: string | null })[]>(text, input.values(items));
    return rows.map((row) => ({ ...row, micros: row.micros === null ? null : Number(row.micros) }));
  };

  it.each([
    ['one', 1, 1],
    ['many', 2, 64],
  ])('gives back %s as they were', async (_, minLength, maxLength) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyItem, { minLength, maxLength }), async (items) => {
        expect(await read(items)).toEqual(items);
      }),
      { numRuns: 100 },
    );
  });

  it('takes bytes and texts that are longer than a page', async () => {
    const none = { yes: null, micros: null, small: null, whole: null, at: null, id: null };
    const items = [
      { ...none, name: 'quotes "and" \\ more, {braces}', body: Buffer.alloc(70_000, 7) },
      { ...none, name: 'ä'.repeat(40_000), body: Buffer.alloc(0) },
    ];
    expect(await read(items)).toEqual(items);
  });
});

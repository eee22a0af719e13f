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

const nothing: Item = {
  yes: null,
  body: null,
  micros: null,
  small: null,
  whole: null,
  name: null,
  at: null,
  id: null,
};

describe('inputRows in PostgreSQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ name: 'input rows', entities: [], migrations: [] });
  });
  afterAll(() => database.drop());

  const read = async (items: Item[]): Promise<Item[]> => {
    const rows = await database.dataSource.query<(Item & { micros: string | null })[]>(input.rows, input.values(items));
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
    const items = [
      { ...nothing, name: 'quotes "and" \\ more, {braces}', body: Buffer.alloc(70_000, 7) },
      { ...nothing, name: 'ä'.repeat(40_000), body: Buffer.alloc(0) },
    ];
    expect(await read(items)).toEqual(items);
  });

  it('replaces half of a pair, which no text of PostgreSQL holds', async () => {
    const [row] = await read([{ ...nothing, name: 'a\ud800b\udc00😀' }]);
    expect(row!.name).toBe('a\ufffdb\ufffd😀');
  });

  it.each([
    ['a uuid of other letters', { id: 'g1a2028e-4b6e-7823-a31b-f97a0e962306' }],
    ['a number that is too large', { small: 99_999 }],
    ['half a number', { micros: 0.5 }],
    ['a text with a NUL', { name: 'a\0b' }],
  ])('is refused as data for %s, so that a batch knows it for a bad row', async (_, bad) => {
    await expect(read([nothing, { ...nothing, ...bad }])).rejects.toMatchObject({
      code: expect.stringMatching(/^22/) as string,
    });
  });
});

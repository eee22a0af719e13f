import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { inputRows } from './input-rows';

interface Item {
  name: string | null;
  body: Buffer | null;
}

const input = inputRows<Item>([
  ['name', 'text', ({ name }) => name],
  ['body', 'bytea', ({ body }) => body],
]);
const items: Item[] = [
  { name: 'quotes "and" \\ more, {braces}', body: Buffer.from([0, 255, 34, 92]) },
  { name: null, body: null },
  { name: 'NULL', body: Buffer.alloc(0) },
  { name: '', body: Buffer.alloc(70_000, 7) },
];

describe('inputRows in PostgreSQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase({ name: 'input rows', entities: [], migrations: [] });
  });
  afterAll(() => database.drop());

  const read = (some: Item[]): Promise<Item[]> =>
    database.dataSource.query<Item[]>(some.length === 1 ? input.one : input.many, input.values(some));

  it('gives back many as they were', async () => {
    expect(await read(items)).toEqual(items);
  });

  it.each(items)('gives back one as it was: $name', async (item) => {
    expect(await read([item])).toEqual([item]);
  });
});

import { inputRows } from './input-rows';

const input = inputRows<{ name: string; price: number | null }>([
  ['name', 'text', ({ name }) => name],
  ['price', 'bigint', ({ price }) => price],
]);

describe('inputRows', () => {
  it('has a text for one and a text for many', () => {
    expect(input.one).toBe('SELECT $1::text AS name, $2::bigint AS price');
    expect(input.many).toBe('SELECT name, price FROM unnest($1::text[], $2::bigint[]) AS input (name, price)');
  });

  it('gives the values of one, and columns of many', () => {
    const [run, walk] = [
      { name: 'run', price: 3 },
      { name: 'walk', price: null },
    ];
    expect(input.values([run])).toEqual(['run', 3]);
    expect(input.values([run, walk])).toEqual([
      ['run', 'walk'],
      [3, null],
    ]);
  });

  it('packs the bytes of many into one value', () => {
    const bytes = inputRows<Buffer | null>([
      ['size', 'integer', (body) => body?.length ?? 0],
      ['body', 'bytea', (body) => body],
    ]);
    const [one, other] = [Buffer.from('one'), Buffer.from('other')];
    expect(bytes.one).toBe('SELECT $1::integer AS size, $2::bytea AS body');
    expect(bytes.values([one])).toEqual([3, one]);
    expect(bytes.many).toBe(
      'SELECT size, substr($2::bytea, body_start, body_length) AS body ' +
        'FROM unnest($1::integer[], $3::integer[], $4::integer[]) AS input (size, body_start, body_length)',
    );
    expect(bytes.values([one, null, other])).toEqual([[3, 0, 5], Buffer.from('oneother'), [1, 4, 4], [3, null, 5]]);
  });
});

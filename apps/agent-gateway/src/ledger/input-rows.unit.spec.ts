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

  it.each([
    ['uuid', 'no-uuid', 'no-uuid is no uuid'],
    ['smallint', 99_999, '99999 is no smallint'],
    ['bigint', 0.5, '0.5 is no bigint'],
  ] as const)('refuses what a %s cannot hold, as PostgreSQL would', (type, value, message) => {
    const column = inputRows<string | number>([['it', type, (it) => it]]);
    const refusal = expect.objectContaining({ message, code: '22000' }) as Error;
    expect(() => column.values([value])).toThrow(refusal);
    expect(() => column.values([value, value])).toThrow(refusal);
  });
});

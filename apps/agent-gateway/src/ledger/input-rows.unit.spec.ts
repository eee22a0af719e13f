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
});

import fc from 'fast-check';
import { cursorOf, readCursor } from './list-cursor';

const place = { atMicros: '1769860680120000', id: '0194bc3e-5d58-7c1a-9e64-3f1b2a7d8c90' };
const cursor = cursorOf('orders', place);

it('a cursor leads back to its place, and needs no escape in an address', () => {
  const micros = fc.bigInt({ min: 0n, max: 253_402_300_799_999_999n }).map(String);
  fc.assert(
    fc.property(micros, fc.uuid(), (atMicros, id) => {
      expect(readCursor('orders', cursorOf('orders', { atMicros, id }))).toEqual({ atMicros, id });
    }),
  );
  expect(cursor).toMatch(/^[\w-]{38}$/);
  expect(readCursor('orders', undefined)).toBeUndefined();
});

const withAnother = [...cursor].map(
  (letter, at) => cursor.slice(0, at) + (letter === 'B' ? 'C' : 'B') + cursor.slice(at + 1),
);

it.each<[string, unknown[]]>([
  ['a word', ['', 'next']],
  ['a part of one, or more', [cursor.slice(0, 19), cursor + cursor.slice(0, 19), `${cursor}=`, `${cursor} `]],
  ['two', [[cursor, cursor]]],
  ['nothing but zeros', ['A'.repeat(38)]],
  ['of another list', [cursorOf('payments', place)]],
  ['of a time before ours', [cursorOf('orders', { ...place, atMicros: '-1' })]],
  ['of a year with five digits', [cursorOf('orders', { ...place, atMicros: '253402300800000000' })]],
  ['one with any other letter', withAnother],
])('a cursor is refused when it is %s', (_, texts) => {
  for (const text of texts) expect(() => readCursor('orders', text)).toThrow('cursor must be the next_cursor');
});

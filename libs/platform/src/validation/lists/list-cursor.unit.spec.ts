import fc from 'fast-check';
import { cursorOf, readCursor } from './list-cursor';

const place = { atMicros: '1769860680120000', id: '0194bc3e-5d58-7c1a-9e64-3f1b2a7d8c90' };
const cursor = cursorOf('orders', place);

describe('a cursor of a list', () => {
  it('leads back to its place', () => {
    const micros = fc.bigInt({ min: 0n, max: 253_402_300_799_999_999n }).map(String);
    fc.assert(
      fc.property(micros, fc.uuid(), (atMicros, id) => {
        expect(readCursor('orders', cursorOf('orders', { atMicros, id }))).toEqual({ atMicros, id });
      }),
    );
  });

  it('needs no escape in an address', () => expect(cursor).toMatch(/^[\w-]{38}$/));

  it('may be absent', () => expect(readCursor('orders', undefined)).toBeUndefined());

  it.each<[string, unknown]>([
    ['an empty text', ''],
    ['a word', 'next'],
    ['half of one', cursor.slice(0, 19)],
    ['one and a half', cursor + cursor.slice(0, 19)],
    ['one with padding', `${cursor}=`],
    ['one with a space', `${cursor} `],
    ['one in the other alphabet', Buffer.from(cursor, 'base64url').toString('base64')],
    ['two', [cursor, cursor]],
    ['nothing but zeros', 'A'.repeat(38)],
    ['of another list', cursorOf('payments', place)],
    ['of a time before ours', cursorOf('orders', { ...place, atMicros: '-1' })],
    ['of a year with five digits', cursorOf('orders', { ...place, atMicros: '253402300800000000' })],
  ])('is refused when it is %s', (_, text) =>
    expect(() => readCursor('orders', text)).toThrow('cursor must be the next_cursor'),
  );

  it('is refused when any letter of it is another', () => {
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === 'B' ? 'C' : 'B';
      expect(() => readCursor('orders', cursor.slice(0, index) + other + cursor.slice(index + 1))).toThrow();
    }
  });
});

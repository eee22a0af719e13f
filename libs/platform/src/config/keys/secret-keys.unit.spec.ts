import { randomBytes } from 'node:crypto';
import { secretKeysOf } from './secret-keys';

describe('secretKeysOf', () => {
  const [current, old] = [randomBytes(32), randomBytes(32)];
  const written = (bytes: number) => randomBytes(bytes).toString('base64');

  it('reads a list, the first one first', () => {
    const keys = secretKeysOf(`new:${current.toString('base64')},old:${old.toString('base64')}`);
    expect(keys).toEqual([
      { kid: 'new', key: current },
      { kid: 'old', key: old },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['no name', written(32)],
    ['an empty name', `:${written(32)}`],
    ['a name of 17 characters', `${'k'.repeat(17)}:${written(32)}`],
    ['a name with a space', `my key:${written(32)}`],
    ['a short key', `k:${written(31)}`],
    ['a long key', `k:${written(33)}`],
    ['an empty entry', `k:${written(32)},`],
    ['a name twice', `k:${written(32)},k:${written(32)}`],
  ])('refuses %s', (_, list) => expect(() => secretKeysOf(list)).toThrow(RangeError));
});

import { randomBytes } from 'node:crypto';
import { AnswerCipher } from './answer-record';
import { answerKeysOf, type AnswerKey } from '../config/keys';

const aKey = (kid: string): AnswerKey => ({ kid, key: randomBytes(32) });
const [old, current] = [aKey('old'), aKey('a-longer_name_16')];
const cipher = new AnswerCipher([current, old]);
const body = Buffer.from('{"plan":[]}');
const id = '0194b3a0-7c1e-7d2a-9f00-0123456789ab';

describe('AnswerCipher', () => {
  it('gives back what it took, and writes it differently each time', () => {
    const stored = cipher.encrypt(id, body);
    expect(cipher.decrypt(id, stored)).toEqual(body);
    expect(stored.equals(cipher.encrypt(id, body))).toBe(false);
    expect(stored.includes(body)).toBe(false);
  });

  it('takes an empty answer and a long one', () => {
    for (const answer of [Buffer.alloc(0), randomBytes(100_000)]) {
      expect(cipher.decrypt(id, cipher.encrypt(id, answer))).toEqual(answer);
    }
  });

  it('encrypts with the first key and still reads the others', () => {
    const stored = new AnswerCipher([old]).encrypt(id, body);
    expect(cipher.decrypt(id, stored)).toEqual(body);
    expect(new AnswerCipher([old]).decrypt(id, cipher.encrypt(id, body))).toBeNull();
  });

  it('reads nothing with another key of the same name', () => {
    expect(new AnswerCipher([aKey(current.kid)]).decrypt(id, cipher.encrypt(id, body))).toBeNull();
  });

  it('reads nothing under another payment', () => {
    expect(cipher.decrypt(id.replace('0194', '0195'), cipher.encrypt(id, body))).toBeNull();
  });

  it('reads nothing when any byte was altered', () => {
    const stored = cipher.encrypt(id, body);
    for (let place = 0; place < stored.length; place++) {
      const altered = Buffer.from(stored);
      altered[place]! ^= 1;
      expect(cipher.decrypt(id, altered)).toBeNull();
    }
  });

  it('reads nothing when the end is missing', () => {
    const stored = cipher.encrypt(id, body);
    for (let length = 0; length < stored.length; length++) {
      expect(cipher.decrypt(id, stored.subarray(0, length))).toBeNull();
    }
  });
});

describe('answerKeysOf', () => {
  const written = (bytes: number) => randomBytes(bytes).toString('base64');

  it('reads a list, the first one first', () => {
    const keys = answerKeysOf(`new:${current.key.toString('base64')},old:${old.key.toString('base64')}`);
    expect(keys).toEqual([
      { kid: 'new', key: current.key },
      { kid: 'old', key: old.key },
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
  ])('refuses %s', (_, list) => expect(() => answerKeysOf(list)).toThrow(RangeError));
});

import { randomBytes } from 'node:crypto';
import type { SecretKey } from '@evenkeel/platform/config';
import { AnswerCipher } from './answers';

const aKey = (kid: string): SecretKey => ({ kid, key: randomBytes(32) });
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

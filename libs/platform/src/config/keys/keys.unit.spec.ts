import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { es256KeysOf, secretKeysOf } from './named-keys';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const newPair = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
const pemOf = (namedCurve: string) => newPair(namedCurve).export({ format: 'pem', type: 'pkcs8' }).toString();

describe('keys of ES256', () => {
  it('are the first, which signs, and all that are published, also those whose secret is gone', () => {
    const { d, x, y } = newPair('P-256').export({ format: 'jwk' });
    const [old] = es256KeysOf(`old:${secret(2)}`).published;
    const written = `new:${Buffer.from(d!, 'base64url').toString('base64')},old:${old!.x}.${old!.y}`;
    const { signing, published } = es256KeysOf(written);
    expect(signing.kid).toBe('new');
    expect(published).toEqual([{ kty: 'EC', crv: 'P-256', x, y, kid: 'new', use: 'sig', alg: 'ES256' }, old]);
  });

  it('may be written as PEM, with line breaks or as one line', () => {
    const pem = pemOf('P-256');
    const { x, y } = createPublicKey(pem).export({ format: 'jwk' });
    for (const written of [pem, pem.replaceAll('\n', '\\n')]) {
      const { published } = es256KeysOf(`r1:${written},old:${secret(2)}`);
      expect(published).toMatchObject([{ kid: 'r1', x, y }, { kid: 'old' }]);
    }
  });

  const [{ x, y } = { x: '', y: '' }] = es256KeysOf(`k:${secret(1)}`).published;
  it.each([
    ['nothing', ''],
    ['31 bytes', `r1:${Buffer.alloc(31, 1).toString('base64')}`],
    ['two of one name', `r1:${secret(1)},r1:${secret(2)}`],
    ['a point beside the curve', `r1:${secret(1)},old:AAAA.AAAA`],
    ['a first one without its secret', `r1:${x}.${y}`],
    ['another curve', `r1:${pemOf('secp256k1')}`],
  ])('are refused for %s', (_, written) => expect(() => es256KeysOf(written)).toThrow(RangeError));
});

describe('secret keys', () => {
  const written = (bytes: number) => randomBytes(bytes).toString('base64');

  it('are a list, the first one first', () => {
    const [current, old] = [randomBytes(32), randomBytes(32)];
    expect(secretKeysOf(`new:${current.toString('base64')},old:${old.toString('base64')}`)).toEqual([
      { kid: 'new', key: current },
      { kid: 'old', key: old },
    ]);
  });

  it.each([
    ['no name', written(32)],
    ['a short key', `k:${written(31)}`],
    ['a name twice', `k:${written(32)},k:${written(32)}`],
  ])('are refused for %s', (_, list) => expect(() => secretKeysOf(list)).toThrow(RangeError));
});

import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { es256KeysOf, newEs256Key } from './es256-keys';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');

describe('keys of ES256', () => {
  it('derives what is published: a signature of the first verifies with it', () => {
    const { signing, published } = es256KeysOf(`r1:${randomBytes(32).toString('base64')}`);
    expect(published).toEqual([
      { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: 'r1', use: 'sig', alg: 'ES256' },
    ]);
    const signature = sign('sha256', Buffer.from('text'), signing.key);
    const key = createPublicKey({ key: { ...published[0] }, format: 'jwk' });
    expect(verify('sha256', Buffer.from('text'), key, signature)).toBe(true);
  });

  it('takes a secret that OpenSSL made', () => {
    const { d, x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const [published] = es256KeysOf(`r1:${Buffer.from(d!, 'base64url').toString('base64')}`).published;
    expect(published).toMatchObject({ x, y });
  });

  it('signs with the first and publishes all', () => {
    const { signing, published } = es256KeysOf(`new:${secret(1)},old:${secret(2)}`);
    expect([signing.kid, published.map(({ kid }) => kid)]).toEqual(['new', ['new', 'old']]);
  });

  it('goes on publishing a key whose secret is gone', () => {
    const [old] = es256KeysOf(`old:${secret(2)}`).published;
    const { published } = es256KeysOf(`new:${secret(1)},old:${old!.x}.${old!.y}`);
    expect(published[1]).toEqual(old);
    expect(JSON.stringify(published)).not.toContain('"d"');
  });

  it('takes a private key in PEM, with line breaks or as one line', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = privateKey.export({ format: 'jwk' });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    for (const written of [pem, pem.replaceAll('\n', '\\n')]) {
      expect(es256KeysOf(`r1:${written},old:${secret(2)}`).published).toMatchObject([
        { kid: 'r1', x, y },
        { kid: 'old' },
      ]);
    }
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect(() => es256KeysOf(`r1:${other.export({ format: 'pem', type: 'pkcs8' }).toString()}`)).toThrow(RangeError);
  });

  it('makes a new one, another every time', () => {
    const [one, other] = [newEs256Key('local'), newEs256Key('local')];
    expect(one).not.toBe(other);
    expect(es256KeysOf(one).published).toMatchObject([{ kid: 'local' }]);
  });

  it.each([
    ['nothing', ''],
    ['no name', `:${secret(1)}`],
    ['a long name', `${'k'.repeat(17)}:${secret(1)}`],
    ['31 bytes', `r1:${Buffer.alloc(31, 1).toString('base64')}`],
    ['zero', `r1:${secret(0)}`],
    ['more than the order of the curve', `r1:${secret(255)}`],
    ['two of one name', `r1:${secret(1)},r1:${secret(2)}`],
    ['an empty entry', `r1:${secret(1)},`],
    ['a third part', `r1:${secret(1)}:${secret(2)}`],
    ['a point beside the curve', `r1:${secret(1)},old:AAAA.AAAA`],
    ['a first one without its secret', `r1:${pointOf(1)}`],
  ])('refuses %s', (_, written) => expect(() => es256KeysOf(written)).toThrow(RangeError));
});

function pointOf(byte: number): string {
  const [key] = es256KeysOf(`k:${secret(byte)}`).published;
  return `${key!.x}.${key!.y}`;
}

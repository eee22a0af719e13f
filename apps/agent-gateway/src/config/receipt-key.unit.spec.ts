import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import { receiptKeysOf } from './receipt-key';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');

describe('receiptKeysOf', () => {
  it('derives what is published: a signature of the first verifies with it', () => {
    const { signing, published } = receiptKeysOf(`r1:${randomBytes(32).toString('base64')}`);
    expect(published).toEqual([
      { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: 'r1', use: 'sig', alg: 'ES256' },
    ]);
    const signature = sign('sha256', Buffer.from('text'), signing.key);
    const key = createPublicKey({ key: { ...published[0] }, format: 'jwk' });
    expect(verify('sha256', Buffer.from('text'), key, signature)).toBe(true);
  });

  it('takes a secret that OpenSSL made', () => {
    const { d, x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const [published] = receiptKeysOf(`r1:${Buffer.from(d!, 'base64url').toString('base64')}`).published;
    expect(published).toMatchObject({ x, y });
  });

  it('signs with the first and publishes all', () => {
    const { signing, published } = receiptKeysOf(`new:${secret(1)},old:${secret(2)}`);
    expect([signing.kid, published.map(({ kid }) => kid)]).toEqual(['new', ['new', 'old']]);
  });

  it('goes on publishing a key whose secret is gone', () => {
    const [old] = receiptKeysOf(`old:${secret(2)}`).published;
    const { published } = receiptKeysOf(`new:${secret(1)},old:${old!.x}.${old!.y}`);
    expect(published[1]).toEqual(old);
    expect(JSON.stringify(published)).not.toContain('"d"');
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
  ])('refuses %s', (_, written) => expect(() => receiptKeysOf(written)).toThrow(RangeError));
});

function pointOf(byte: number): string {
  const [key] = receiptKeysOf(`k:${secret(byte)}`).published;
  return `${key!.x}.${key!.y}`;
}

import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { es256KeysOf, newEs256Key } from './es256-keys';
import { compactJws, Es256Signer, verifiedClaims } from './jws';
import { secretKeysOf } from './secret-keys';

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

describe('a signed text', () => {
  const keys = es256KeysOf(newEs256Key('now'));
  const claims = { sub: 'account-1', exp: 1_769_860_800 };
  const jws = new Es256Signer(keys, 'JWT').sign(claims);
  const [head, body, signature] = jws.split('.') as [string, string, string];
  const written = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('names its key and its type, and has its claims, also under a key that is only published', () => {
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'now' });
    expect(Buffer.from(signature, 'base64url')).toHaveLength(64);
    const [{ x, y } = { x: '', y: '' }] = keys.published;
    const rotated = es256KeysOf(`${newEs256Key('next')},now:${x}.${y}`);
    for (const { published } of [keys, rotated]) expect(verifiedClaims(jws, published, 'JWT')).toEqual(claims);
  });

  it.each([
    ['no JSON', 'a.b.c'],
    ['other claims', [head, written({ ...claims, sub: 'account-2' }), signature].join('.')],
    ['another type', new Es256Signer(keys, 'other').sign(claims)],
    ['another key of the same name', new Es256Signer(es256KeysOf(newEs256Key('now')), 'JWT').sign(claims)],
    ['no signature', [head, body, ''].join('.')],
    ['another algorithm', [written({ alg: 'HS256', typ: 'JWT', kid: 'now' }), body, signature].join('.')],
    ['a fourth part', `${jws}.`],
    ['an extension that is critical', compactJws({ typ: 'JWT', kid: 'now', crit: ['b64'] }, claims, keys.signing.key)],
  ])('has no claims for %s', (_, text) => expect(verifiedClaims(text, keys.published, 'JWT')).toBeNull());

  it('may be signed with Ed25519 too, with a head of its own', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const [ownHead = '', ownBody = '', own = ''] = compactJws({ kid: 'a' }, claims, privateKey).split('.');
    expect(JSON.parse(Buffer.from(ownHead, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: 'a' });
    expect(verify(null, Buffer.from(`${ownHead}.${ownBody}`), publicKey, Buffer.from(own, 'base64url'))).toBe(true);
  });
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

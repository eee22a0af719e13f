import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { compactJws, Es256Signer, verifiedClaims } from './jws';
import { es256KeysOf, newEs256Key } from './es256-keys';

const keys = es256KeysOf(newEs256Key('now'));
const claims = { sub: 'account-1', exp: 1_769_860_800 };
const jws = new Es256Signer(keys, 'JWT').sign(claims);
const [head, body, signature] = jws.split('.') as [string, string, string];
const written = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('what was signed with ES256', () => {
  it('names its key and its type, and verifies by the public key alone', () => {
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ alg: 'ES256', typ: 'JWT', kid: 'now' });
    const key = createPublicKey({ key: { ...keys.published[0] }, format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    expect(bytes).toHaveLength(64);
    expect(verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, bytes)).toBe(true);
  });

  it('has its claims, also under a key that is only published', () => {
    expect(verifiedClaims(jws, keys.published, 'JWT')).toEqual(claims);
    const [{ x, y } = { x: '', y: '' }] = keys.published;
    const rotated = es256KeysOf(`${newEs256Key('next')},now:${x}.${y}`);
    expect(verifiedClaims(jws, rotated.published, 'JWT')).toEqual(claims);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'a.b.c'],
    ['other claims', [head, written({ ...claims, sub: 'account-2' }), signature].join('.')],
    ['another type', new Es256Signer(keys, 'other').sign(claims)],
    ['another key of the same name', new Es256Signer(es256KeysOf(newEs256Key('now')), 'JWT').sign(claims)],
    ['a key that is not known', new Es256Signer(es256KeysOf(newEs256Key('other')), 'JWT').sign(claims)],
    ['no signature', [head, body, ''].join('.')],
    ['no algorithm', [written({ alg: 'none', typ: 'JWT', kid: 'now' }), body, ''].join('.')],
    ['another algorithm', [written({ alg: 'HS256', typ: 'JWT', kid: 'now' }), body, signature].join('.')],
    ['a fourth part', `${jws}.`],
    ['an extension that is critical', compactJws({ typ: 'JWT', kid: 'now', crit: ['b64'] }, claims, keys.signing.key)],
  ])('is null for %s', (_, text) => expect(verifiedClaims(text, keys.published, 'JWT')).toBeNull());
});

it('signs with Ed25519 too, with a head of its own', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [ownHead = '', ownBody = '', ownSignature = ''] = compactJws({ kid: 'a' }, claims, privateKey).split('.');
  expect(JSON.parse(Buffer.from(ownHead, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: 'a' });
  const bytes = Buffer.from(ownSignature, 'base64url');
  expect(verify(null, Buffer.from(`${ownHead}.${ownBody}`), publicKey, bytes)).toBe(true);
});

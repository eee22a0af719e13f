import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { es256KeysOf, newEs256Key } from '@evenkeel/platform/config';
import { compactJws, Es256Signer } from './jws';

it.each([
  ['ES256', es256KeysOf(newEs256Key('a')).signing.key],
  ['EdDSA', generateKeyPairSync('ed25519').privateKey],
])('a signed text by %s has its head, its claims and a signature that others can verify', (alg, key) => {
  const claims = { sub: 'account-1', exp: 1_769_860_800 };
  const signer = new Es256Signer({ signing: { kid: 'a', key } }, 'JWT');
  const jws = alg === 'ES256' ? signer.sign(claims) : compactJws({ typ: 'JWT', kid: 'a' }, claims, key);
  const [head = '', body = '', signature = ''] = jws.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;
  expect([read(head), read(body)]).toEqual([{ alg, typ: 'JWT', kid: 'a' }, claims]);
  const by = { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' } as const;
  const digest = alg === 'ES256' ? 'sha256' : null;
  expect(verify(digest, Buffer.from(`${head}.${body}`), by, Buffer.from(signature, 'base64url'))).toBe(true);
});

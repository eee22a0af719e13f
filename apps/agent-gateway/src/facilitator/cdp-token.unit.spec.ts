import { generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { cdpKeyOf } from '../config/keys';
import { cdpToken } from './facilitator-connection';

const now = new Date('2026-01-31T12:00:00.900Z');
const seconds = 1_769_860_800;

function tokenParts(secret: string) {
  const token = cdpToken(cdpKeyOf('key-1', secret), 'POST', 'api.example', '/x402/verify', now);
  const [header = '', claims = '', signature = ''] = token.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return {
    header: read(header),
    claims: read(claims),
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

const ed25519 = generateKeyPairSync('ed25519');
const rawSeed = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
const rawPublic = (key: KeyObject) => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = p256.privateKey.export({ format: 'pem', type: 'sec1' }).toString();

describe('a token signed with Ed25519', () => {
  const secret = Buffer.concat([rawSeed(ed25519.privateKey), rawPublic(ed25519.publicKey)]).toString('base64');

  it('is bound to the call and lives for two minutes', () => {
    const { header, claims } = tokenParts(secret);
    expect(header).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: 'key-1', nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(claims).toEqual({
      sub: 'key-1',
      iss: 'cdp',
      aud: ['cdp_service'],
      nbf: seconds,
      exp: seconds + 120,
      uris: ['POST api.example/x402/verify'],
    });
  });

  it.each([
    ['seed and public key', secret],
    ['the seed alone', rawSeed(ed25519.privateKey).toString('base64')],
  ])('verifies, from %s', (_, written) => {
    const { signed, signature } = tokenParts(written);
    expect(verify(null, signed, ed25519.publicKey, signature)).toBe(true);
    expect(verify(null, Buffer.concat([signed, Buffer.from('x')]), ed25519.publicKey, signature)).toBe(false);
  });

  it('is another one for each call', () => {
    expect(tokenParts(secret).header.nonce).not.toBe(tokenParts(secret).header.nonce);
  });
});

describe('a token signed with ES256', () => {
  it.each([
    ['SEC 1', pem],
    ['PKCS #8', p256.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
    ['line breaks written as \\n', pem.replaceAll('\n', '\\n')],
  ])('verifies, from a key in %s', (_, written) => {
    const { header, signed, signature } = tokenParts(written);
    expect(header.alg).toBe('ES256');
    expect(signature).toHaveLength(64);
    expect(verify('sha256', signed, { key: p256.publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
  });
});

describe('a secret that is no such key', () => {
  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  it.each([
    ['too short', Buffer.alloc(31).toString('base64')],
    ['no key in PEM', '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----'],
    ['of another curve', otherCurve.privateKey.export({ format: 'pem', type: 'sec1' }).toString()],
    ['of another kind', rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()],
  ])('is refused: %s', (_, secret) => expect(() => cdpKeyOf('key-1', secret)).toThrow());
});

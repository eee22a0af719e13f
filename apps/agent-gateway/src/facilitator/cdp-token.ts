import { randomBytes, sign } from 'node:crypto';
import type { CdpKey } from '../config/cdp-key';

const LIFETIME_SECONDS = 120;

/** A JWT for one call: bound to method, host and path, valid for two minutes. */
export function cdpToken(key: CdpKey, method: string, host: string, path: string, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const isEd25519 = key.key.asymmetricKeyType === 'ed25519';
  const header = {
    alg: isEd25519 ? 'EdDSA' : 'ES256',
    typ: 'JWT',
    kid: key.id,
    nonce: randomBytes(16).toString('hex'),
  };
  const claims = {
    sub: key.id,
    iss: 'cdp',
    aud: ['cdp_service'],
    nbf: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    uris: [`${method} ${host}${path}`],
  };
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const algorithm = isEd25519 ? null : 'sha256';
  const signature = sign(algorithm, Buffer.from(signed), { key: key.key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

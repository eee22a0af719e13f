import { createPublicKey, createSign, sign, verify, type KeyObject } from 'node:crypto';
import type { Es256Keys, PublicEs256Key } from './es256-keys';

/** Signs claims as compact JWS (RFC 7515) with ES256, all with one head. */
export class Es256Signer {
  private readonly head: string;
  private readonly key: KeyObject;

  /** @param type what the head calls it, such as `JWT` */
  constructor({ signing: { kid, key } }: Pick<Es256Keys, 'signing'>, type: string) {
    this.head = base64url({ alg: 'ES256', typ: type, kid });
    this.key = key;
  }

  /** At once and on this thread: handing 40 us of work to another costs as much again. */
  sign(claims: object): string {
    return signed(this.head, claims, this.key);
  }
}

/** A compact JWS with a head of its own, by a P-256 (ES256) or an Ed25519 key (EdDSA). */
export function compactJws(head: object, claims: object, key: KeyObject): string {
  const alg = key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'ES256';
  return signed(base64url({ alg, ...head }), claims, key);
}

/**
 * The claims of a compact JWS that one of these keys has signed with ES256; its time is for the caller to check.
 * @param type what its head must call it
 * @returns null for any other text
 */
export function verifiedClaims(jws: string, keys: readonly PublicEs256Key[], type: string): unknown {
  const [head = '', claims = '', signature = '', ...more] = jws.split('.');
  const { alg, typ, kid, crit } = Object(parsed(head)) as Partial<Record<'alg' | 'typ' | 'kid' | 'crit', unknown>>;
  const jwk = keys.find((candidate) => candidate.kid === kid);
  // The algorithm is ours to say, never the text's; and no extension is known here that it may call critical.
  if (!jwk || alg !== 'ES256' || typ !== type || crit !== undefined || more.length > 0) return null;
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    withKey(key),
    Buffer.from(signature, 'base64url'),
  );
  return isSigned ? (parsed(claims) ?? null) : null;
}

function signed(head: string, claims: object, key: KeyObject): string {
  const text = `${head}.${base64url(claims)}`;
  if (key.asymmetricKeyType === 'ed25519') return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
  // `sign` makes a job for each signature, this does not.
  return `${text}.${createSign('sha256').update(text).sign(withKey(key), 'base64url')}`;
}

/** JWS requires the two numbers of the signature side by side, where OpenSSL writes DER. */
function withKey(key: KeyObject) {
  return { key, dsaEncoding: 'ieee-p1363' } as const;
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function parsed(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}

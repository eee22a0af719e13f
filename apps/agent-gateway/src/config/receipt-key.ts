import { createECDH, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;
const EC = { kty: 'EC', crv: 'P-256' } as const;

/** A key as everybody may have it (RFC 7517). */
export interface PublicReceiptKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  /** 1 to 16 characters; names the key in the head of a receipt. */
  kid: string;
  use: 'sig';
  alg: 'ES256';
}

export interface ReceiptKeys {
  signing: { kid: string; key: KeyObject };
  /** Whose receipts are still around, the signing one first. */
  published: readonly PublicReceiptKey[];
}

/**
 * Keys of receipts from their written form, separated by commas: `kid:base64` with the 32 bytes of a private key, or
 * `kid:x.y` for one that is only published, as the published document shows it. The first signs.
 * @throws RangeError when one is malformed, two have one name, or the first is no private key
 */
export function receiptKeysOf(written: string): ReceiptKeys {
  const keys = written.split(',').map(keyOf);
  const [first] = keys;
  if (!first?.privateKey) throw new RangeError('the first receipt key does not sign');
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new RangeError('two receipt keys of one name');
  return {
    signing: { kid: first.kid, key: first.privateKey },
    published: keys.map(({ kid, x, y }) => ({ ...EC, x, y, kid, use: 'sig', alg: 'ES256' })),
  };
}

interface ReadKey {
  kid: string;
  x: string;
  y: string;
  privateKey: KeyObject | null;
}

function keyOf(entry: string): ReadKey {
  const [kid = '', material = '', ...more] = entry.split(':');
  if (!/^[\w-]{1,16}$/.test(kid) || more.length > 0) throw new RangeError('malformed name of a receipt key');
  try {
    return { kid, ...(material.includes('.') ? pointOf(material) : pairOf(material)) };
  } catch (cause) {
    throw new RangeError('malformed receipt key', { cause });
  }
}

function pointOf(material: string): Omit<ReadKey, 'kid'> {
  const [x = '', y = ''] = material.split('.');
  // Refuses a point that is not on the curve.
  createPublicKey({ key: { ...EC, x, y }, format: 'jwk' });
  return { x, y, privateKey: null };
}

function pairOf(base64: string): Omit<ReadKey, 'kid'> {
  const secret = Buffer.from(base64, 'base64');
  if (secret.length !== KEY_BYTES) throw new RangeError('not 32 bytes');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey().subarray(1);
  const [x, y] = [point.subarray(0, KEY_BYTES), point.subarray(KEY_BYTES)].map((part) => part.toString('base64url'));
  const jwk = { ...EC, x: x!, y: y! };
  const privateKey = createPrivateKey({ key: { ...jwk, d: secret.toString('base64url') }, format: 'jwk' });
  return { x: jwk.x, y: jwk.y, privateKey };
}

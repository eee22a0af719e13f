import { createECDH, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;
const EC = { kty: 'EC', crv: 'P-256' } as const;

/** A key as everybody may have it (RFC 7517). */
export interface PublicEs256Key {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  /** 1 to 16 characters; names the key in the head of what it signs. */
  kid: string;
  use: 'sig';
  alg: 'ES256';
}

export interface Es256Keys {
  signing: { kid: string; key: KeyObject };
  /** Keys whose signatures are still around, the signing one first. */
  published: readonly PublicEs256Key[];
}

/**
 * Keys from their written form, separated by commas; the first signs, all are published. Each is `kid:` and
 * - base64 of the 32 bytes of a private key,
 * - a private key in PEM (line breaks may be written as `\n`), or
 * - `x.y` of a public key, as the published document shows it, for one that only verifies.
 * @throws RangeError when one is malformed, two have one name, or the first is no private key
 */
export function es256KeysOf(written: string): Es256Keys {
  const keys = written.split(',').map(namedKey);
  const signing = keys[0]!;
  if (signing.key.type !== 'private') throw new RangeError('the first key does not sign');
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new RangeError('two keys of one name');
  const published = keys.map(({ kid, key }): PublicEs256Key => {
    const { x, y } = key.export({ format: 'jwk' });
    return { ...EC, x: x!, y: y!, kid, use: 'sig', alg: 'ES256' };
  });
  return { signing, published };
}

/** The document of public keys (RFC 7517). */
export function jwksOf({ published }: Pick<Es256Keys, 'published'>): { keys: readonly PublicEs256Key[] } {
  return { keys: published };
}

/** A new private key in its written form, for a local run that has none. */
export function newEs256Key(kid: string): string {
  const { d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return `${kid}:${Buffer.from(d!, 'base64url').toString('base64')}`;
}

/** @throws Error for what is no private key in PEM, RangeError for one of another curve */
export function es256KeyOfPem(pem: string): KeyObject {
  const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new RangeError('ES256 needs a P-256 key');
  return key;
}

function namedKey(entry: string): Es256Keys['signing'] {
  const [kid = '', material = '', ...more] = entry.split(':');
  if (!/^[\w-]{1,16}$/.test(kid) || more.length > 0) throw new RangeError('malformed name of a key');
  try {
    return { kid, key: keyOf(material) };
  } catch (cause) {
    throw new RangeError('malformed key', { cause });
  }
}

function keyOf(material: string): KeyObject {
  if (material.includes('BEGIN')) return es256KeyOfPem(material);
  if (material.includes('.')) {
    const [x = '', y = ''] = material.split('.');
    // Refuses a point that is not on the curve.
    return createPublicKey({ key: { ...EC, x, y }, format: 'jwk' });
  }
  const secret = Buffer.from(material, 'base64');
  if (secret.length !== KEY_BYTES) throw new RangeError('not 32 bytes');
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey().subarray(1);
  const [x, y] = [point.subarray(0, KEY_BYTES), point.subarray(KEY_BYTES)].map((part) => part.toString('base64url'));
  return createPrivateKey({ key: { ...EC, x: x!, y: y!, d: secret.toString('base64url') }, format: 'jwk' });
}

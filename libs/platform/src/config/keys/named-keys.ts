import { createECDH, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ValidateBy } from 'class-validator';

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

/** A key of 32 bytes; `kid` names it beside what was made with it: 1 to 16 characters. */
export interface SecretKey {
  kid: string;
  key: Buffer;
}

/**
 * Keys from their written form, `kid:base64` separated by commas; the first is in use, the others read what is older.
 * @throws RangeError when there is none, one is malformed, or two have one name
 */
export function secretKeysOf(written: string): readonly [SecretKey, ...SecretKey[]] {
  return namedKeys(written, bytesOf) as [SecretKey, ...SecretKey[]];
}

/**
 * Keys from their written form, separated by commas; the first signs, all are published. Each is `kid:` and
 * - base64 of the 32 bytes of a private key,
 * - a private key in PEM (line breaks may be written as `\n`), or
 * - `x.y` of a public key, as the published document shows it, for one that only verifies.
 * @throws RangeError when one is malformed, two have one name, or the first is no private key
 */
export function es256KeysOf(written: string): Es256Keys {
  const keys = namedKeys(written, keyOf);
  const signing = keys[0]!;
  if (signing.key.type !== 'private') throw new RangeError('the first key does not sign');
  const published = keys.map(({ kid, key }): PublicEs256Key => {
    const { x, y } = key.export({ format: 'jwk' });
    return { ...EC, x: x!, y: y!, kid, use: 'sig', alg: 'ES256' };
  });
  return { signing, published };
}

function namedKeys<Key>(written: string, read: (material: string) => Key): { kid: string; key: Key }[] {
  const keys = written.split(',').map((entry) => {
    const [kid = '', material = '', ...more] = entry.split(':');
    if (!/^[\w-]{1,16}$/.test(kid) || more.length > 0) throw new RangeError('malformed name of a key');
    try {
      return { kid, key: read(material) };
    } catch (cause) {
      throw new RangeError('malformed key', { cause });
    }
  });
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new RangeError('two keys of one name');
  return keys;
}

function bytesOf(base64: string): Buffer {
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES) throw new RangeError('not 32 bytes');
  return key;
}

function keyOf(material: string): KeyObject {
  if (material.includes('BEGIN')) return es256KeyOfPem(material);
  if (material.includes('.')) {
    const [x = '', y = ''] = material.split('.');
    // Refuses a point that is not on the curve.
    return createPublicKey({ key: { ...EC, x, y }, format: 'jwk' });
  }
  const secret = bytesOf(material);
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey().subarray(1);
  const [x, y, d] = [point.subarray(0, KEY_BYTES), point.subarray(KEY_BYTES), secret].map((part) =>
    part.toString('base64url'),
  );
  return createPrivateKey({ key: { ...EC, x: x!, y: y!, d: d! }, format: 'jwk' });
}

/** @throws Error for what is no private key in PEM, RangeError for one of another curve */
export function es256KeyOfPem(pem: string): KeyObject {
  const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new RangeError('ES256 needs a P-256 key');
  return key;
}

/** A new private key in its written form, for a local run that has none. */
export function newEs256Key(kid: string): string {
  const { d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  return `${kid}:${Buffer.from(d!, 'base64url').toString('base64')}`;
}

/** A setting for `secretKeysOf`. */
export function IsSecretKeys(): PropertyDecorator {
  return readableBy('isSecretKeys', secretKeysOf, '32-byte keys, comma-separated');
}

/** A setting for `es256KeysOf`. */
export function IsEs256Keys(): PropertyDecorator {
  const keys = '32-byte P-256 private keys, comma-separated; after the first also kid:x.y';
  return readableBy('isEs256Keys', es256KeysOf, keys);
}

function readableBy(name: string, read: (written: string) => unknown, keys: string): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    try {
      return read(String(value)) !== undefined;
    } catch {
      return false;
    }
  };
  const defaultMessage = () => `$property must be a list of kid:base64 with ${keys}`;
  return ValidateBy({ name, validator: { validate, defaultMessage } });
}

import { createHash, createHmac } from 'node:crypto';

const KEY_BYTES = 32;

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
  const keys = written.split(',').map((entry) => {
    const [kid = '', base64 = ''] = entry.split(':');
    const key = Buffer.from(base64, 'base64');
    if (!/^[\w-]{1,16}$/.test(kid) || key.length !== KEY_BYTES) throw new RangeError('malformed key');
    return { kid, key };
  });
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new RangeError('two keys of one name');
  return keys as [SecretKey, ...SecretKey[]];
}

/** An opaque token that is a function of a key and a text. */
export function derivedToken(prefix: string, { key }: SecretKey, text: string): string {
  return prefix + createHmac('sha256', key).update(text).digest('base64url');
}

/** The digest by which a row is found, in place of the token itself. */
export function hashOfToken(clear: string): Buffer {
  return createHash('sha256').update(clear).digest();
}

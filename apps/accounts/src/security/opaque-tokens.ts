import { createHash, createHmac } from 'node:crypto';
import type { SecretKey } from '@evenkeel/platform/config';

/** An opaque token that is a function of a key and a text. */
export function derivedToken(prefix: string, { key }: SecretKey, text: string): string {
  return prefix + createHmac('sha256', key).update(text).digest('base64url');
}

/** The digest by which a row is found, in place of the token itself. */
export function hashOfToken(clear: string): Buffer {
  return createHash('sha256').update(clear).digest();
}

import { randomBytes } from 'node:crypto';
import { compactJws } from '@evenkeel/platform/keys';
import type { CdpKey } from '../config/keys';

const LIFETIME_SECONDS = 120;

/** A JWT for one call: bound to method, host and path, valid for two minutes. */
export function cdpToken({ id, key }: CdpKey, method: string, host: string, path: string, now: Date): string {
  const issuedAt = Math.floor(now.getTime() / 1_000);
  const claims = {
    sub: id,
    iss: 'cdp',
    aud: ['cdp_service'],
    nbf: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    uris: [`${method} ${host}${path}`],
  };
  return compactJws({ typ: 'JWT', kid: id, nonce: randomBytes(16).toString('hex') }, claims, key);
}

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { es256KeyOfPem } from '@evenkeel/platform/config';

/** PKCS #8 wrapping of a raw 32-byte Ed25519 seed (RFC 8410). */
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface CdpKey {
  id: string;
  key: KeyObject;
}

/**
 * The key of a facilitator that asks for a bearer token.
 * @param secret a P-256 private key in PEM, or the base64 of an Ed25519 key (32-byte seed, public key after it)
 * @throws Error when it is neither
 */
export function cdpKeyOf(id: string, secret: string): CdpKey {
  return { id, key: secret.includes('BEGIN') ? es256KeyOfPem(secret) : keyOfSeed(secret) };
}

function keyOfSeed(base64: string): KeyObject {
  const der = Buffer.concat([ED25519_PKCS8_PREFIX, Buffer.from(base64, 'base64').subarray(0, 32)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

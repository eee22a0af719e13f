import type { ReceiptClaims } from './receipt-claims';

/** A compact JWS in its parts; nothing in it is believed yet. */
export interface UncheckedReceipt {
  kid: string;
  claims: ReceiptClaims;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
}

const TEXTS = ['iss', 'jti', 'payer', 'endpoint', 'amount_atomic', 'asset', 'network', 'pay_to', 'status'] as const;
const DIGESTS = ['request_digest', 'response_digest', 'engine_version'] as const;

/** Null for what is no receipt of ES256 with all its claims. */
export function readReceipt(receipt: string): UncheckedReceipt | null {
  const [head = '', body = '', signature = '', ...more] = receipt.split('.');
  try {
    const { alg, kid, crit } = jsonIn(head) as { alg?: unknown; kid?: unknown; crit?: unknown };
    const claims = jsonIn(body) as ReceiptClaims;
    if (more.length > 0 || alg !== 'ES256' || typeof kid !== 'string' || crit !== undefined) return null;
    if (!hasAll(claims)) return null;
    return { kid, claims, signed: new TextEncoder().encode(`${head}.${body}`), signature: bytesIn(signature) };
  } catch {
    return null;
  }
}

function hasAll(claims: ReceiptClaims): boolean {
  const areTexts = [...TEXTS, ...DIGESTS].every((name) => typeof claims[name] === 'string');
  return areTexts && Number.isInteger(claims.iat) && (claims.nonce === null || typeof claims.nonce === 'string');
}

function jsonIn(part: string): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesIn(part)));
}

function bytesIn(base64url: string): Uint8Array<ArrayBuffer> {
  if (!/^[\w-]+$/.test(base64url)) throw new Error('no base64url');
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
}

/** The claims of a signed receipt (docs/receipts.md). */
export interface ReceiptClaims {
  /** Base URL of the seller. */
  iss: string;
  /** Seconds since 1970. */
  iat: number;
  /** Of the purchase. */
  jti: string;
  payer: string;
  /** Of the authorization; null when a credit paid. */
  nonce: string | null;
  endpoint: string;
  /** Price of the call, in atomic units of the asset. */
  amount_atomic: string;
  asset: string;
  /** CAIP-2. */
  network: string;
  pay_to: string;
  /** At `iat`; the seller may add words. */
  status: 'settled' | 'settlement_pending' | 'redeemed' | (string & {});
  request_digest: string;
  response_digest: string;
  engine_version: string;
}

/** A compact JWS in its parts; nothing in it is verified yet. */
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

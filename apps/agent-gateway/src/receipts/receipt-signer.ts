import { sign } from 'node:crypto';
import type { ReceiptKeys } from '../config/receipt-key';

/** `redeemed`: a credit paid, and nothing moved on the chain. */
export type PurchaseStatus = 'settled' | 'settlement_pending' | 'redeemed';

/** What a receipt says (docs/receipts.md). Addresses are checksummed, digests have the form of `Content-Digest`. */
export interface ReceiptClaims {
  /** Base URL of the seller. */
  iss: string;
  /** Seconds since 1970. */
  iat: number;
  /** Of the purchase: the same on every copy of an answer. */
  jti: string;
  /** Who signed the payment, or whose payments earned the credit. */
  payer: string;
  /** Of the authorization; null for a credit. */
  nonce: string | null;
  endpoint: string;
  /** Price of the call, in atomic units of the asset. */
  amount_atomic: string;
  asset: string;
  /** CAIP-2. */
  network: string;
  pay_to: string;
  /** At `iat`. */
  status: PurchaseStatus;
  /** Of method, path and canonical body: the fingerprint. */
  request_digest: string;
  /** Of the bytes of the answer: its `Content-Digest`. */
  response_digest: string;
  engine_version: string;
}

/** Writes receipts as compact JWS (RFC 7515), ES256. */
export class ReceiptSigner {
  private readonly head: string;
  private readonly key;

  constructor({ signing: { kid, key } }: Pick<ReceiptKeys, 'signing'>) {
    this.head = base64url(JSON.stringify({ alg: 'ES256', typ: 'receipt+jwt', kid }));
    // JWS wants the two numbers of the signature side by side, where OpenSSL writes DER.
    this.key = { key, dsaEncoding: 'ieee-p1363' } as const;
  }

  /** At once and on this thread: handing 40 us of work to another costs as much again. */
  sign(claims: ReceiptClaims): string {
    const signed = `${this.head}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), this.key).toString('base64url')}`;
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

import { Es256Signer, type Es256Keys } from '@evenkeel/platform/keys';

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
  private readonly signer: Es256Signer;

  constructor(keys: Pick<Es256Keys, 'signing'>) {
    this.signer = new Es256Signer(keys, 'receipt+jwt');
  }

  sign(claims: ReceiptClaims): string {
    return this.signer.sign(claims);
  }
}

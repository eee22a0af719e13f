/** What a signed receipt says (docs/receipts.md). */
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

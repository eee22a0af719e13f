import { Es256Signer, type Es256Keys } from '@evenkeel/platform/keys';
import type { ReceiptClaims } from './receipt-claims';

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

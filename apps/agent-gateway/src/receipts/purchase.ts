import type { Call } from '../calls/call';
import type { PaymentTerms } from '../config/payment-terms';
import type { Claim } from '../ledger/claim-payments';
import type { FoundCredit } from '../ledger/find-credits';
import { checksummed, type Authorization } from '../calls/payment';
import type { PurchaseStatus, ReceiptClaims } from './receipt-claims';

/** What a receipt says of a purchase, whichever answer it comes with. */
export type Purchase = Omit<ReceiptClaims, 'iss' | 'iat' | 'response_digest' | 'engine_version'>;

/** From the row and the signed payment, never from settings: those may have changed since it was paid. */
export function paidPurchase(payment: Claim, { to, value }: Authorization, status: PurchaseStatus): Purchase {
  return {
    jti: payment.id,
    payer: checksummed(payment.payer),
    nonce: payment.nonce,
    endpoint: payment.endpoint,
    amount_atomic: value,
    asset: checksummed(payment.asset),
    network: `eip155:${payment.chainId}`,
    pay_to: checksummed(to),
    status,
    request_digest: digestOf(payment.fingerprint),
  };
}

export function creditPurchase({ id, payer }: FoundCredit, call: Call, terms: PaymentTerms): Purchase {
  const { path, priceMicros } = call.endpoint;
  return {
    jti: id,
    payer: checksummed(payer),
    nonce: null,
    endpoint: path,
    amount_atomic: String(priceMicros),
    asset: terms.asset,
    network: terms.chain.caip2,
    pay_to: terms.payTo,
    status: 'redeemed',
    request_digest: digestOf(call.fingerprint),
  };
}

function digestOf(fingerprint: string): string {
  return `sha-256=:${Buffer.from(fingerprint, 'hex').toString('base64')}:`;
}

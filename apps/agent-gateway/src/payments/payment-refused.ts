import { DomainError } from '@evenkeel/kernel';
import { knownCode } from '../facilitator/reasons';
import type { Payment } from './payment';
import { receiptHeaders } from './receipt';

/** `pay_again`: sign a new payment. `do_not_retry`: this one is spent. */
type Retry = 'pay_again' | 'do_not_retry';

/** A payment that is not taken: a 402 with a fresh challenge. */
export class PaymentRefused extends DomainError {
  /** Go out with the refusal: the receipt of a settlement that was tried, what became of a credit. */
  readonly headers: Record<string, string> = {};
  readonly kind = 'payment_required';
  override readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: string,
    message: string,
    details: Record<string, unknown> = {},
    retry: Retry = 'pay_again',
  ) {
    super(message);
    this.details = { ...details, charged: false, retry };
  }
}

export function invalidPaymentPayload(message: string): PaymentRefused {
  return new PaymentRefused('invalid_payment_payload', message);
}

export function paymentAlreadyUsed(): PaymentRefused {
  return new PaymentRefused(
    'payment_already_used',
    'This authorization was used before; sign a new one for a new request.',
    {},
    'do_not_retry',
  );
}

/** A definite refusal at settlement: the result is withheld, nothing was charged. */
export class SettlementFailed extends PaymentRefused {
  constructor(
    override readonly headers: Record<string, string>,
    reason: string | null,
  ) {
    const details = reason === null ? {} : { error_reason: reason };
    super('settlement_failed', 'The payment was refused at settlement; nothing was charged.', details);
  }
}

export function settlementFailed(payment: Payment, reason: string | null): SettlementFailed {
  const errorReason = reason ?? 'settlement_failed';
  return new SettlementFailed(
    receiptHeaders(payment, { status: 'settlement_failed', transactionHash: null, errorReason }),
    reason,
  );
}

/** Verify said no. Its reason is shown when it is a code, with our own word for the well-known ones. */
export function paymentRejected(reason: string | null): PaymentRefused {
  const code = knownCode(reason);
  const details = { ...(reason !== null && { invalid_reason: reason }), ...(code !== undefined && { code }) };
  return new PaymentRefused('payment_rejected', 'The payment did not verify.', details);
}

import { DomainError } from '@evenkeel/kernel';
import { settlementResponse, type Payment } from '../calls/payment';
import { PaymentRefused } from '../calls/payment-refused';
import { knownCode } from '../facilitator/read-answers';

/** The facilitator was not asked to settle: nothing is charged, and the same payment may come again. */
export class PaymentVerificationUnavailable extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'payment_verification_unavailable';
  override readonly retryAfterSeconds = 2;
  override readonly details = { charged: false, retry: 'retry_same' };

  constructor() {
    super('The payment could not be verified just now. Nothing was charged; repeat the identical request.');
  }
}

/** The facilitator was asked to settle and the outcome is uncertain. Never a 402: a correct client would sign and pay twice. */
export class SettlementUnknown extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'settlement_unknown';
  override readonly details = { charged: null, retry: 'retry_same' };

  constructor(override readonly retryAfterSeconds = 5) {
    super(
      'Whether the payment was taken is not known yet. Repeat the identical request: it never charges twice ' +
        'and gets its answer once the payment has settled.',
    );
  }
}

/** The same payment is worked on by another request, or too many payments are. */
export class PaymentInProgress extends DomainError {
  readonly kind = 'rate_limited';
  readonly code = 'rate_limited';
  override readonly retryAfterSeconds = 1;
  override readonly details: Readonly<Record<string, unknown>>;

  constructor(scope: 'payment_in_progress' | 'concurrency') {
    super(
      scope === 'concurrency'
        ? 'Too many paid calls are running. Repeat the identical request in a second: it never charges twice.'
        : 'This payment is still being worked on. Repeat the identical request in a second.',
    );
    // The ledger was not asked: this may be the repeat of a call that was charged.
    this.details = { scope, charged: null, retry: 'retry_same' };
  }
}

/** A definite refusal of settle: the result is withheld, nothing was charged. */
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
    settlementResponse(payment, { status: 'settlement_failed', transactionHash: null, errorReason }),
    reason,
  );
}

/** Verify refused the payment. The answer shows its reason, and our own code for a well-known one. */
export function paymentRejected(reason: string | null): PaymentRefused {
  const code = knownCode(reason);
  const details = { ...(reason !== null && { invalid_reason: reason }), ...(code !== undefined && { code }) };
  return new PaymentRefused('payment_rejected', 'The payment did not verify.', details);
}

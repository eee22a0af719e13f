import { DomainError } from '@evenkeel/kernel';

/** Settlement was never asked for: nothing is charged, the same payment may come again. */
export class PaymentVerificationUnavailable extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'payment_verification_unavailable';
  override readonly retryAfterSeconds = 2;
  override readonly details = { charged: false, retry: 'retry_same' };

  constructor() {
    super('The payment could not be verified just now. Nothing was charged; repeat the identical request.');
  }
}

/** Settlement was asked for and its outcome is open. Never a 402: a correct client would sign and pay twice. */
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

/** The same payment, or too many payments, are being worked on. */
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
    // Neither of them has looked into the ledger: this may be the repeat of a call that was charged.
    this.details = { scope, charged: null, retry: 'retry_same' };
  }
}

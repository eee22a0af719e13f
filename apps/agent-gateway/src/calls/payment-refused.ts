import type { PaymentErrorCode } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';

/** `pay_again`: sign a new payment. `do_not_retry`: this one is spent. */
type Retry = 'pay_again' | 'do_not_retry';

/** A payment that is not taken: 402 with a fresh challenge. */
export class PaymentRefused extends DomainError {
  /** Sent with the refusal: the settlement response, the status of a credit. */
  readonly headers: Record<string, string> = {};
  readonly kind = 'payment_required';
  override readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: PaymentErrorCode,
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

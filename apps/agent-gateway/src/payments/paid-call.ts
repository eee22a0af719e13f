import { Call, type CallFacts } from '../calls/call';
import type { Payment } from '../calls/payment';
import type { UnprovedAttempt } from '../limits/address-limits';

/** A valid call together with its payment. */
export class PaidCall extends Call {
  readonly payment: Payment;

  /** @param attempt how the call counts against the address that sends it */
  constructor(
    facts: CallFacts & { payment: Payment },
    readonly attempt: UnprovedAttempt,
  ) {
    super(facts);
    this.payment = facts.payment;
  }

  /** The same payment for the same request. */
  get identity(): string {
    return `${this.payment.digest} ${this.fingerprint}`;
  }
}

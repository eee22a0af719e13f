import { Call, type CallFacts } from '../calls/call';
import type { UnprovedAttempt } from '../limits/unproved-attempt';
import type { Payment } from '../calls/payment';

/** A valid request together with the payment it came with. */
export class PaidCall extends Call {
  /** @param attempt how the call counts against the address that sends it */
  constructor(
    facts: CallFacts,
    readonly payment: Payment,
    readonly attempt: UnprovedAttempt,
  ) {
    super(facts);
  }

  /** The same payment for the same request. */
  get identity(): string {
    return `${this.payment.digest} ${this.fingerprint}`;
  }
}

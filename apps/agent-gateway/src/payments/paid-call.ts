import { Call, type CallFacts } from '../calls/call';
import type { Payment } from './payment';

/** A valid request together with the payment it came with. */
export class PaidCall extends Call {
  readonly payment: Payment;

  constructor(facts: CallFacts & { payment: Payment }) {
    super(facts);
    this.payment = facts.payment;
  }

  /** The same payment for the same request. */
  get identity(): string {
    return `${this.payment.digest} ${this.fingerprint}`;
  }
}

import { Injectable } from '@nestjs/common';
import { Call, type CallFacts } from '../calls/call';
import type { Payment } from '../calls/payment';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { PaymentRow } from '../ledger/ledger.entities';
import type { UnprovedAttempt } from '../limits/caller-limits';

/** A valid call together with its payment. */
export class PaidCall extends Call {
  /** @param attempt the hit of the call in the limit of its address */
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

/** The keys that the first request with a payment has shown. */
type ShownKeys = Pick<PaymentRow, 'paymentIdentifier' | 'idempotencyKey'>;

/** Who may get an answer a second time (`PAYMENT_REPLAY`). */
@Injectable()
export class ReplayPolicy {
  constructor(private readonly config: AgentGatewayConfig) {}

  /** Whether this identical call may get the answer that was given for the row. */
  allows(row: PaymentRow, call: PaidCall): boolean {
    if (this.config.PAYMENT_REPLAY !== 'keyed') return this.config.PAYMENT_REPLAY === 'identical';
    return this.showsKey(row, call);
  }

  /**
   * Whether this identical call shows that it comes from the sender of the first one. Anybody can rebuild a payment header
   * from the chain, but neither key is on the chain.
   */
  showsKey(first: ShownKeys, call: PaidCall): boolean {
    // An equal payload has an equal identifier.
    return (
      first.paymentIdentifier !== null ||
      (first.idempotencyKey !== null && first.idempotencyKey === call.idempotencyKey)
    );
  }

  /**
   * Whether the first answer to a payment may show the token of its credit to this identical call. The request that was
   * never answered may have shown a key; then only its sender gets the token.
   */
  mayHaveToken(first: ShownKeys, call: PaidCall): boolean {
    return (first.idempotencyKey === null && first.paymentIdentifier === null) || this.showsKey(first, call);
  }

  /** Copies with an equal key share one answer while it is made. Null when this call shares with none. */
  joinKey(call: PaidCall): string | null {
    if (this.config.PAYMENT_REPLAY === 'off') return null;
    if (this.config.PAYMENT_REPLAY === 'identical' || call.payment.identifier !== null) return call.identity;
    return call.idempotencyKey && `${call.identity} ${call.idempotencyKey}`;
  }
}

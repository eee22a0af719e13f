import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { PaidCall } from './paid-call';
import type { PaymentRow } from '../ledger/ledger.entities';

/** Who may have an answer a second time (`PAYMENT_REPLAY`). */
@Injectable()
export class ReplayPolicy {
  constructor(private readonly config: AgentGatewayConfig) {}

  /** May this identical call have the answer that was given for the row? */
  allows(row: PaymentRow, call: PaidCall): boolean {
    if (this.config.PAYMENT_REPLAY !== 'keyed') return this.config.PAYMENT_REPLAY === 'identical';
    return this.showsKey(row, call);
  }

  /**
   * Does this identical call show that it comes from the sender of the first one? Neither key is on the chain, from which
   * anybody can rebuild a payment header.
   */
  showsKey(first: { paymentIdentifier: string | null; idempotencyKey: string | null }, call: PaidCall): boolean {
    // An equal payload has an equal identifier.
    return (
      first.paymentIdentifier !== null ||
      (first.idempotencyKey !== null && first.idempotencyKey === call.idempotencyKey)
    );
  }

  /** Copies with an equal key share one answer while it is made; null: this call shares with none. */
  joinKey(call: PaidCall): string | null {
    if (this.config.PAYMENT_REPLAY === 'off') return null;
    if (this.config.PAYMENT_REPLAY === 'identical' || call.payment.identifier !== null) return call.identity;
    return call.idempotencyKey && `${call.identity} ${call.idempotencyKey}`;
  }
}

import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../agent-gateway.config';
import type { PaidCall } from './paid-call';
import type { PaymentRow } from '../ledger/payment.entity';

/** Who may have an answer a second time (`PAYMENT_REPLAY`). */
@Injectable()
export class ReplayPolicy {
  constructor(private readonly config: AgentGatewayConfig) {}

  /** May this identical call have the answer that was given for the row? */
  allows(row: PaymentRow, call: PaidCall): boolean {
    if (this.config.PAYMENT_REPLAY !== 'keyed') return this.config.PAYMENT_REPLAY === 'identical';
    // An equal payload has an equal identifier.
    return (
      row.paymentIdentifier !== null || (row.idempotencyKey !== null && row.idempotencyKey === call.idempotencyKey)
    );
  }

  /** Copies with an equal key share one answer while it is made; null: this call shares with none. */
  joinKey(call: PaidCall): string | null {
    if (this.config.PAYMENT_REPLAY === 'off') return null;
    if (this.config.PAYMENT_REPLAY === 'identical' || call.payment.identifier !== null) return call.identity;
    return call.idempotencyKey && `${call.identity} ${call.idempotencyKey}`;
  }
}

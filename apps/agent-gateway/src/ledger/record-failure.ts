import { PaymentSettlementFailed } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { announcePayment, paymentEvent } from './claim-payments';
import { PaymentRow } from './ledger.entities';
import { awaitedUntil, EXPIRED_FOR_GOOD_MS } from './payment-checks';
import { TRANSITIONS, type PaymentEvent } from './payment-state';

/** A payment that will never be money: refused for good, or void on the chain. */
@Injectable()
export class RecordFailure {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
    private readonly metrics: GatewayMetrics,
  ) {}

  /** @returns the row afterwards; its state says whether the failure was recorded */
  async record(
    paymentId: string,
    event: Extract<PaymentEvent, 'refused' | 'void'>,
    reason: string | null,
  ): Promise<PaymentRow> {
    let failed = false;
    const row = await this.dataSource.transaction(async (tx) => {
      const payment = await tx.findOneOrFail(PaymentRow, {
        where: { id: paymentId },
        lock: { mode: 'pessimistic_write' },
      });
      const next = TRANSITIONS[event][payment.state];
      if (!next) return payment;

      Object.assign(payment, { state: next, reason });
      await tx.update(PaymentRow, { id: paymentId }, { state: next, reason });
      if (event === 'refused') await this.scheduleLastLook(tx, payment);
      else await tx.query(`DELETE FROM payment_checks WHERE payment_id = $1`, [paymentId]);
      if (payment.served) {
        await tx.query(`UPDATE wallets SET unpaid_calls = unpaid_calls + 1 WHERE address = $1`, [payment.payer]);
      }
      await this.announceFailure(tx, payment);
      failed = true;
      return payment;
    });
    if (failed) this.metrics.paymentsEnded('settlement_failed', 1);
    return row;
  }

  /** A third party may have sent the authorization before the refusal: only the chain can tell, and only after its expiry. */
  private async scheduleLastLook(tx: EntityManager, payment: PaymentRow): Promise<void> {
    if (this.config.rpcUrl === null) return;
    const until = awaitedUntil(payment, this.config.X402_MAX_TIMEOUT_SECONDS);
    await tx.query(
      `INSERT INTO payment_checks (payment_id, payer, next_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [payment.id, payment.payer, new Date(until.getTime() + EXPIRED_FOR_GOOD_MS)],
    );
  }

  private async announceFailure(tx: EntityManager, payment: PaymentRow): Promise<void> {
    const failedAt = this.clock.now();
    const data: PaymentSettlementFailed = {
      ...paymentEvent(payment),
      transactionHash: payment.transactionHash,
      failedAt: failedAt.toISOString(),
      served: payment.served,
      reason: payment.reason,
    };
    await announcePayment(tx, PaymentSettlementFailed, payment, { occurredAt: failedAt, data });
  }
}

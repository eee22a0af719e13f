import { PaymentSettlementPending } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { announce } from './announce';
import type { AnswerRecord } from './answer-record';
import { PaymentRow } from './payment.entity';
import { TRANSITIONS, type PaymentEvent } from './payment-state';
import { recordAnswer } from './record-answer';
import { mayServeUnsettled } from './unsettled-bound';

const FIRST_CHECK_MS = 5_000;

export interface Doubt {
  paymentId: string;
  event: Extract<PaymentEvent, 'unknown' | 'contested'>;
  reason: string | null;
  transactionHash: string | null;
  /** The facilitator said that it is still working on it. */
  settleAgain: boolean;
  /** Given out with it when the bound allows; null when the outcome is of a kind that is never served unsettled. */
  answer: AnswerRecord | null;
}

/** The outcome of a settle is open: the payment becomes unresolved, and is served only under the bound of payments.md section 6. */
@Injectable()
export class RecordUncertain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns the row as it stands after it, and whether this call may give out its answer */
  async record(doubt: Doubt): Promise<{ payment: PaymentRow; answered: boolean }> {
    return this.dataSource.transaction(async (tx) => {
      const now = this.clock.now();
      const payment = await tx.findOneOrFail(PaymentRow, {
        where: { id: doubt.paymentId },
        lock: { mode: 'pessimistic_write' },
      });
      const next = TRANSITIONS[doubt.event][payment.state];
      if (next) await this.move(tx, payment, next, doubt);
      if (payment.state === 'settlement_pending' || next) await this.scheduleCheck(tx, payment, doubt.settleAgain, now);

      const answered = await this.serve(tx, payment, doubt.answer, now);
      if (next) await this.announceUncertain(tx, payment, now);
      return { payment, answered };
    });
  }

  private async move(tx: EntityManager, payment: PaymentRow, state: PaymentRow['state'], doubt: Doubt): Promise<void> {
    const changes = {
      state,
      reason: doubt.reason,
      transactionHash: doubt.transactionHash ?? payment.transactionHash,
    };
    await tx.update(PaymentRow, { id: payment.id }, changes);
    Object.assign(payment, changes);
  }

  private async serve(
    tx: EntityManager,
    payment: PaymentRow,
    answer: AnswerRecord | null,
    now: Date,
  ): Promise<boolean> {
    if (!answer || payment.served || payment.state !== 'settlement_pending') return false;
    if (!(await mayServeUnsettled(tx, payment, this.config.UNSETTLED_SERVED_MAX))) return false;
    payment.served = await recordAnswer(tx, payment, answer, now);
    return payment.served;
  }

  private async scheduleCheck(tx: EntityManager, payment: PaymentRow, settleAgain: boolean, now: Date): Promise<void> {
    await tx.query(
      `INSERT INTO payment_checks AS c (payment_id, payer, next_at, settle_again) VALUES ($1, $2, $3, $4)
       ON CONFLICT (payment_id) DO UPDATE SET settle_again = c.settle_again OR excluded.settle_again`,
      [payment.id, payment.payer, new Date(now.getTime() + FIRST_CHECK_MS), settleAgain],
    );
  }

  private async announceUncertain(tx: EntityManager, payment: PaymentRow, now: Date): Promise<void> {
    const data: PaymentSettlementPending = {
      paymentId: payment.id,
      wallet: payment.payer,
      endpoint: payment.endpoint,
      amountMicros: payment.priceMicros,
      chainId: payment.chainId,
      asset: payment.asset,
      verifiedAt: payment.verifiedAt.toISOString(),
      state: payment.state as PaymentSettlementPending['state'],
      served: payment.served,
      reason: payment.reason,
      attributedCostMicros: payment.costMicros,
      requestId: payment.requestId,
    };
    await announce(tx, PaymentSettlementPending, {
      wallet: payment.payer,
      subject: payment.id,
      occurredAt: now,
      data,
    });
  }
}

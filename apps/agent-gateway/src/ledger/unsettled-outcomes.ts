import { PaymentSettlementPending, PaymentSettlementFailed } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { GatewayMetrics } from '../metrics/gateway-metrics';
import { type AnswerRecord, recordAnswer } from './answers';
import { announceInWallet, paymentEvent } from './claim-payments';
import { PaymentCheckRow, PaymentRow } from './ledger.entities';
import { TRANSITIONS, UNRESOLVED_STATES, type PaymentEvent } from './payment-state';
import { expiredForGoodAt } from './payment-checks';

const FIRST_CHECK_MS = 5_000;
const HOUR_MS = 3_600_000;

export interface UncertainOutcome {
  paymentId: string;
  event: Extract<PaymentEvent, 'unknown' | 'contested'>;
  reason?: string | null;
  transactionHash?: string | null;
  /** The facilitator said that the settlement is pending. */
  settleAgain?: boolean;
  /** Given out with it when the bound allows; null when the outcome is of a kind that is never served unsettled. */
  answer?: AnswerRecord | null;
}

/** The outcome of a settle is uncertain: the payment stays open, and is served only under the bound below. */
@Injectable()
export class RecordUncertain {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns the row afterwards, and whether this call may give out its answer */
  async record(outcome: UncertainOutcome): Promise<{ payment: PaymentRow; answered: boolean }> {
    const { paymentId, event, reason = null, settleAgain = false, answer = null } = outcome;
    return this.dataSource.transaction(async (tx) => {
      const now = this.clock.now();
      const payment = await lockPayment(tx, paymentId);
      const next = TRANSITIONS[event][payment.state];
      // An earlier request was answered that the outcome is unknown: a repeat gets no more than the first one.
      const isFirst = payment.state === 'settling';
      if (next) {
        const transactionHash = outcome.transactionHash ?? payment.transactionHash;
        await change(tx, payment, { state: next, reason, transactionHash });
      }
      if (next || payment.state === 'settlement_pending') await scheduleCheck(tx, payment, settleAgain, now);
      const answered = isFirst && (await this.serve(tx, payment, answer, now));
      if (next) {
        const { served } = payment;
        const data = { ...paymentEvent(payment), state: next, served, reason } as PaymentSettlementPending;
        const announcement = { subject: payment.id, occurredAt: now, data };
        await announceInWallet(tx, PaymentSettlementPending, payment.payer, announcement);
      }
      return { payment, answered };
    });
  }

  private async serve(
    tx: EntityManager,
    payment: PaymentRow,
    answer: AnswerRecord | null,
    now: Date,
  ): Promise<boolean> {
    if (!answer || payment.served || payment.state !== 'settlement_pending') return false;
    const hourAgo = new Date(now.getTime() - HOUR_MS);
    if (!(await mayServeUnsettled(tx, payment, this.config.UNSETTLED_SERVED_MAX, hourAgo))) return false;
    await recordAnswer(tx, payment, answer, now, { unsettled: true, issued: null });
    payment.served = true;
    return true;
  }
}

function lockPayment(tx: EntityManager, id: string): Promise<PaymentRow> {
  return tx.findOneOrFail(PaymentRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
}

async function change(
  tx: EntityManager,
  payment: PaymentRow,
  changes: Partial<Pick<PaymentRow, 'state' | 'reason' | 'transactionHash'>>,
): Promise<void> {
  await tx.update(PaymentRow, { id: payment.id }, changes);
  Object.assign(payment, changes);
}

async function scheduleCheck(tx: EntityManager, payment: PaymentRow, settleAgain: boolean, now: Date): Promise<void> {
  await tx.query(
    `INSERT INTO payment_checks AS c (payment_id, payer, next_at, settle_again) VALUES ($1, $2, $3, $4)
     ON CONFLICT (payment_id) DO UPDATE SET settle_again = c.settle_again OR excluded.settle_again`,
    [payment.id, payment.payer, new Date(now.getTime() + FIRST_CHECK_MS), settleAgain],
  );
}

/** Any constant: it makes the number of unsettled answers exact over all replicas. */
const COUNT_LOCK = 730_402;

/**
 * May a call be served before its payment settled? One per wallet, once: otherwise cancelling in time buys free calls.
 * Locks the wallet's row first, then reads its other payments in a statement of their own.
 * @param max answers of the last hour, over all wallets, whose payments are open or have failed since
 */
async function mayServeUnsettled(tx: EntityManager, payment: PaymentRow, max: number, hourAgo: Date): Promise<boolean> {
  if (!payment.v2Grade) return false;
  await tx.query(`INSERT INTO wallets (address) VALUES ($1) ON CONFLICT DO NOTHING`, [payment.payer]);
  const [wallet] = await tx.query<[{ unpaid_calls: number }]>(
    `SELECT unpaid_calls FROM wallets WHERE address = $1 FOR UPDATE`,
    [payment.payer],
  );
  if (wallet.unpaid_calls > 0) return false;

  const others = await tx.query<unknown[]>(
    `SELECT 1 FROM payment_checks c JOIN payments p ON p.id = c.payment_id
     WHERE c.payer = $1 AND p.id <> $2 AND p.state = ANY($3) LIMIT 1`,
    [payment.payer, payment.id, UNRESOLVED_STATES],
  );
  if (others.length > 0) return false;

  await tx.query(`SELECT pg_advisory_xact_lock($1)`, [COUNT_LOCK]);
  const [{ unpaid }] = await tx.query<[{ unpaid: number }]>(
    `SELECT count(*)::integer AS unpaid FROM calls c JOIN payments p ON p.id = c.payment_id
     WHERE c.unsettled AND c.served_at > $1 AND p.state <> 'settled'`,
    [hourAgo],
  );
  return unpaid < max;
}

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
      const payment = await lockPayment(tx, paymentId);
      const next = TRANSITIONS[event][payment.state];
      if (!next) return payment;

      await change(tx, payment, { state: next, reason });
      if (event === 'refused') await this.scheduleLastLook(tx, payment);
      else await tx.delete(PaymentCheckRow, { paymentId });
      if (payment.served) {
        await tx.query(`UPDATE wallets SET unpaid_calls = unpaid_calls + 1 WHERE address = $1`, [payment.payer]);
      }
      const { transactionHash, served } = payment;
      const failedAt = this.clock.now();
      const data = { ...paymentEvent(payment), transactionHash, failedAt: failedAt.toISOString(), served, reason };
      const announcement = { subject: paymentId, occurredAt: failedAt, data };
      await announceInWallet(tx, PaymentSettlementFailed, payment.payer, announcement);
      failed = true;
      return payment;
    });
    if (failed) this.metrics.paymentsEnded('settlement_failed', 1);
    return row;
  }

  /** A third party may have sent the authorization before the refusal: only the chain can tell, and only after its expiry. */
  private async scheduleLastLook(tx: EntityManager, payment: PaymentRow): Promise<void> {
    if (this.config.rpcUrl === null) return;
    await tx.query(
      `INSERT INTO payment_checks (payment_id, payer, next_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [payment.id, payment.payer, expiredForGoodAt(payment)],
    );
  }
}

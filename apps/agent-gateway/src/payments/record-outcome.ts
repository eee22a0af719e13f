import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import type { SettleOutcome } from '../facilitator/facilitator.port';
import type { AnswerRecord } from '../ledger/answer-record';
import type { Claim } from '../ledger/claim-payments';
import { FindPayments } from '../ledger/find-payments';
import type { PaymentRow } from '../ledger/payment.entity';
import { RecordDoubt, type Doubt } from '../ledger/record-doubt';
import { RecordFailure } from '../ledger/record-failure';
import { RecordSettlements } from '../ledger/record-settlements';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 60_000;

/** How a payment stands after an outcome was recorded, and whether the answer that came along may go out. */
export type Standing = Pick<PaymentRow, 'state' | 'served' | 'transactionHash' | 'reason'> & { answered: boolean };

/** Writes what settle said into the ledger: one transaction per outcome. */
@Injectable()
export class RecordOutcome {
  private readonly logger = new Logger('payments');

  constructor(
    private readonly settlements: RecordSettlements,
    private readonly doubts: RecordDoubt,
    private readonly failures: RecordFailure,
    private readonly payments: FindPayments,
    private readonly clock: Clock,
  ) {}

  /**
   * @param first whether it answers the payment's first settle call: a later refusal decides nothing
   * @param answer recorded with it when the outcome allows the answer to be given
   */
  async record(payment: Claim, outcome: SettleOutcome, first: boolean, answer: AnswerRecord | null): Promise<Standing> {
    if (outcome.kind === 'settled') return this.settled(payment, outcome.transactionHash, answer);
    if (outcome.kind === 'refused' && first) {
      return { ...(await this.failures.record(payment.id, 'refused', outcome.reason)), answered: false };
    }
    const { payment: row, answered } = await this.doubts.record(doubtOf(payment.id, outcome, answer));
    return { ...row, answered };
  }

  /** For an outcome that nobody waits for any more: tried until it is committed. */
  async recordInBackground(payment: Claim, outcome: SettleOutcome, first: boolean): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        await this.record(payment, outcome, first, null);
        return;
      } catch (error) {
        this.logger.warn({ message: 'the outcome of a settlement is not written yet', paymentId: payment.id, error });
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  }

  private async settled(
    payment: Claim,
    transactionHash: string | null,
    answer: AnswerRecord | null,
  ): Promise<Standing> {
    const settledAt = this.clock.now();
    if (await this.settlements.record({ payment, transactionHash, settledAt, answer })) {
      const answered = answer !== null;
      return { state: 'settled', served: answered, transactionHash, reason: null, answered };
    }
    return { ...(await this.payments.byId(payment.id)), answered: false };
  }
}

function doubtOf(
  paymentId: string,
  outcome: Exclude<SettleOutcome, { kind: 'settled' }>,
  answer: AnswerRecord | null,
): Doubt {
  const contested = outcome.kind === 'nonce_used' || outcome.kind === 'reverted';
  const mayBeServed = outcome.kind === 'silent' || outcome.kind === 'pending';
  return {
    paymentId,
    event: contested ? 'contested' : 'unknown',
    reason: outcome.reason,
    transactionHash: 'transactionHash' in outcome ? outcome.transactionHash : null,
    settleAgain: outcome.kind === 'pending',
    answer: mayBeServed ? answer : null,
  };
}

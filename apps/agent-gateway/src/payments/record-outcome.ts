import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import type { Deadline } from '../calls/deadline';
import type { SettleOutcome } from '../facilitator/facilitator.port';
import type { AnswerRecord, IssuedCredit } from '../ledger/answer-record';
import type { Claim } from '../ledger/claim-payments';
import { FindPayments } from '../ledger/find-payments';
import type { PaymentRow } from '../ledger/ledger.entities';
import { RecordUncertain, type UncertainOutcome } from '../ledger/record-uncertain';
import { RecordFailure } from '../ledger/record-failure';
import { RecordSettlements } from '../ledger/record-settlements';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 60_000;
const DRAIN_MS = 3_000;

/** How a payment stands after an outcome was recorded, and whether the answer that came along may go out. */
export type LimitStatus = Pick<PaymentRow, 'state' | 'served' | 'transactionHash' | 'reason'> & {
  answered: boolean;
  /** Issued with that answer. */
  credit: IssuedCredit | null;
};

/** Writes what settle said into the ledger: one transaction per outcome. */
@Injectable()
export class RecordOutcome {
  private readonly logger = new Logger('payments');
  private readonly background = new Set<Promise<void>>();
  private stopped = false;

  constructor(
    private readonly settlements: RecordSettlements,
    private readonly doubts: RecordUncertain,
    private readonly failures: RecordFailure,
    private readonly payments: FindPayments,
    private readonly clock: Clock,
  ) {}

  /**
   * @param first whether it answers the payment's first settle call: a later refusal decides nothing
   * @param answer recorded with it when the outcome allows the answer to be given
   * @param deadline of who waits for it
   */
  async record(
    payment: Claim,
    outcome: SettleOutcome,
    first: boolean,
    answer: AnswerRecord | null,
    deadline?: Deadline,
  ): Promise<LimitStatus> {
    if (outcome.kind === 'settled') return this.settled(payment, outcome.transactionHash, answer, deadline);
    if (outcome.kind === 'refused' && first) {
      return { ...(await this.failures.record(payment.id, 'refused', outcome.reason)), answered: false, credit: null };
    }
    const { payment: row, answered } = await this.doubts.record(doubtOf(payment.id, outcome, answer));
    return { ...row, answered, credit: null };
  }

  /** For an outcome that nobody waits for any more: tried until it is committed. */
  recordInBackground(payment: Claim, outcome: SettleOutcome, first: boolean): void {
    const work = this.recordUntilCommitted(payment, outcome, first);
    this.background.add(work);
    void work.finally(() => this.background.delete(work));
  }

  /** Before a shutdown: lets writes in the background end, for as long as one can wait. What is left is found by the worker. */
  async drain(): Promise<void> {
    await Promise.race([Promise.all(this.background), sleep(DRAIN_MS, undefined, { ref: false })]);
    this.stopped = true;
  }

  private async recordUntilCommitted(payment: Claim, outcome: SettleOutcome, first: boolean): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        await this.record(payment, outcome, first, null);
        return;
      } catch (error) {
        this.logger.warn({ message: 'the outcome of a settlement is not written yet', paymentId: payment.id, error });
        if (this.stopped) return;
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  }

  private async settled(
    payment: Claim,
    transactionHash: string | null,
    answer: AnswerRecord | null,
    deadline?: Deadline,
  ): Promise<LimitStatus> {
    const settlement = { payment, transactionHash, settledAt: this.clock.now(), answer };
    const { change, credit, knownHash } = await this.settlements.record(settlement, deadline);
    if (change === 'answered') {
      const hash = transactionHash ?? knownHash ?? null;
      return { state: 'settled', served: true, transactionHash: hash, reason: null, answered: true, credit };
    }
    return { ...(await this.payments.byId(payment.id)), answered: false, credit: null };
  }
}

function doubtOf(
  paymentId: string,
  outcome: Exclude<SettleOutcome, { kind: 'settled' }>,
  answer: AnswerRecord | null,
): UncertainOutcome {
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

import { Injectable } from '@nestjs/common';
import { withHeaders, type Answer } from '../calls/answer';
import { settlementResponse } from '../calls/payment';
import { CrashPoints } from '../config/crash-points';
import type { Claim } from '../ledger/claim-payments';
import type { PaymentRow } from '../ledger/ledger.entities';
import { paidPurchase } from '../receipts/answer-receipts';
import type { PaidCall } from './paid-call';
import { RecordOutcome, type RecordedOutcome } from './record-outcome';
import { SettleCalls } from './settle-calls';
import { settlementFailed, SettlementUnknown } from './settlement-errors';
import { PaidAnswers } from './stored-answers';

/** Asks for settlement, records the outcome, and only then answers (docs/protocol.md, steps 7 and 8). */
@Injectable()
export class SettlePayment {
  constructor(
    private readonly calls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    private readonly answers: PaidAnswers,
    private readonly crashPoints: CrashPoints,
  ) {}

  /**
   * @param first whether this is the payment's first settle call
   * @returns the answer; null when another call has settled or served the payment, whose row has the outcome
   * @throws PaymentRefused, SettlementUnknown
   */
  async execute(payment: Claim, call: PaidCall, first: boolean): Promise<Answer | null> {
    const result = call.result();
    const settle = await this.calls.outcome(payment, first, call.deadline);
    this.crashPoints.pass('settle_answered');

    const status = settle.outcome.kind === 'settled' ? 'settled' : 'settlement_pending';
    const prepared = this.answers.prepare(result, paidPurchase(payment, call.payment.authorization, status));
    this.crashPoints.pass('before_commit');
    let recorded: RecordedOutcome;
    try {
      const recording = this.outcomes.record(payment, settle.outcome, settle.first, prepared.record, call.deadline);
      recorded = await call.deadline.withinBudget(recording);
    } catch {
      // The write may be committed all the same; a repeat finds out.
      this.outcomes.recordInBackground(payment, settle.outcome, settle.first);
      throw new SettlementUnknown();
    }
    this.crashPoints.pass('after_commit');
    if (!recorded.answered) {
      this.answers.discard(prepared);
      return this.withheld(call, recorded);
    }
    const answer = await this.answers.complete(prepared, recorded.credit, call.deadline);
    return withHeaders(answer, settlementResponse(call.payment, { status, transactionHash: recorded.transactionHash }));
  }

  /**
   * Settles an uncertain payment once more: the chain takes the same authorization only once.
   * @param admitted whether the settle circuit has admitted this request already
   * @returns as `execute`
   * @throws PaymentRefused, SettlementUnknown
   */
  async again(payment: PaymentRow, call: PaidCall, admitted: boolean): Promise<Answer | null> {
    if (!admitted && !this.calls.isRunning(payment.id) && !this.calls.admits(payment.payer)) {
      throw new SettlementUnknown();
    }
    return this.execute(payment, call, false);
  }

  private withheld(call: PaidCall, { state, served, reason }: RecordedOutcome): null {
    if (state === 'settlement_failed') throw settlementFailed(call.payment, reason);
    if (state === 'settled' || served) return null;
    throw new SettlementUnknown();
  }
}

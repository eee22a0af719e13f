import { Injectable } from '@nestjs/common';
import { withHeaders, type Answer } from '../calls/answer';
import type { PaidCall } from './paid-call';
import { CrashPoints } from '../config/crash-points';
import { CreditOffers } from '../credits/credit-offers';
import type { Claim } from '../ledger/claim-payments';
import { AnswerReceipts, paidPurchase } from '../receipts/answer-receipts';
import { settlementFailed, SettlementUnknown } from './settlement-errors';
import { receiptHeaders } from './receipt';
import { RecordOutcome, type LimitStatus } from './record-outcome';
import { SettleCalls } from './settle-calls';
import { StoredAnswers } from './stored-answers';

/** Asks for settlement, writes what came of it, and only then answers (payments.md section 6, steps 7 and 8). */
@Injectable()
export class SettlePayment {
  constructor(
    private readonly calls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    private readonly answers: StoredAnswers,
    private readonly offers: CreditOffers,
    private readonly receipts: AnswerReceipts,
    private readonly crashPoints: CrashPoints,
  ) {}

  /**
   * @param first whether this is the payment's first settle call
   * @returns the answer; null when the payment has been settled or served by another call, whose row tells the rest
   * @throws PaymentRefused, SettlementUnknown
   */
  async execute(payment: Claim, call: PaidCall, first: boolean): Promise<Answer | null> {
    const result = call.result();
    const settle = await this.calls.outcome(payment, first, call.deadline);
    this.crashPoints.pass('settle_answered');

    const status = settle.outcome.kind === 'settled' ? 'settled' : 'settlement_pending';
    const purchase = paidPurchase(payment, call.payment.authorization, status);
    const signed = this.receipts.sign(result, purchase);
    const record = this.answers.recordOf(payment.id, signed);
    this.crashPoints.pass('before_commit');
    let standing: LimitStatus;
    try {
      const recording = this.outcomes.record(payment, settle.outcome, settle.first, record, call.deadline);
      standing = await call.deadline.withinBudget(recording);
    } catch {
      // The write may have been committed all the same; whoever repeats finds out.
      this.outcomes.recordInBackground(payment, settle.outcome, settle.first);
      throw new SettlementUnknown();
    }
    this.crashPoints.pass('after_commit');
    const answer = this.offers.answer(signed, record.credit, standing.credit);
    if (!standing.answered) return this.withheld(call, standing);
    const { transactionHash } = standing;
    return withHeaders(
      await this.receipts.complete(answer, purchase, call.deadline),
      receiptHeaders(call.payment, { status, transactionHash }),
    );
  }

  private withheld(call: PaidCall, { state, served, ...row }: LimitStatus): null {
    if (state === 'settlement_failed') throw settlementFailed(call.payment, row.reason);
    if (state === 'settled' || served) return null;
    throw new SettlementUnknown();
  }
}

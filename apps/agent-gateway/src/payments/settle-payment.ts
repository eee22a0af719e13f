import { Injectable } from '@nestjs/common';
import { withHeaders, type Answer } from '../calls/answer';
import type { PaidCall } from './paid-call';
import { CrashPoints } from '../crash-points';
import { CreditOffers } from '../credits/credit-offers';
import type { Claim } from '../ledger/claim-payments';
import { settlementFailed } from './payment-refused';
import { receiptHeaders, type ReceiptStatus } from './receipt';
import { RecordOutcome, type Standing } from './record-outcome';
import { SettleCalls } from './settle-calls';
import { SettlementUnknown } from './settlement-errors';
import { StoredAnswers } from './stored-answers';

/** Asks for settlement, writes what came of it, and only then answers (payments.md section 6, steps 7 and 8). */
@Injectable()
export class SettlePayment {
  constructor(
    private readonly calls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    private readonly answers: StoredAnswers,
    private readonly offers: CreditOffers,
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

    const record = this.answers.recordOf(payment.id, result);
    this.crashPoints.pass('before_commit');
    let standing: Standing;
    try {
      standing = await call.deadline.withinBudget(this.outcomes.record(payment, settle.outcome, settle.first, record));
    } catch {
      // The write may have been committed all the same; whoever repeats finds out.
      this.outcomes.recordInBackground(payment, settle.outcome, settle.first);
      throw new SettlementUnknown();
    }
    this.crashPoints.pass('after_commit');
    return this.answer(call, this.offers.answer(result, record.credit, standing.credit), standing);
  }

  private answer(call: PaidCall, result: Answer, { state, served, answered, ...row }: Standing): Answer | null {
    if (answered) {
      const status: ReceiptStatus = state === 'settled' ? 'settled' : 'settlement_pending';
      return withHeaders(result, receiptHeaders(call.payment, { status, transactionHash: row.transactionHash }));
    }
    if (state === 'settlement_failed') throw settlementFailed(call.payment, row.reason);
    if (state === 'settled' || served) return null;
    throw new SettlementUnknown();
  }
}

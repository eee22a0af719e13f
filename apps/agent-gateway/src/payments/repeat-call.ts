import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { asReplay, withHeaders, type Answer } from '../calls/answer';
import type { PaidCall } from './paid-call';
import { CreditOffers } from '../credits/credit-offers';
import { withoutToken } from '../calls/rebate-earned';
import { FindPayments } from '../ledger/find-payments';
import type { PaymentRow } from '../ledger/ledger.entities';
import { recordLateAnswer } from '../ledger/store-answers';
import { TakeOver } from '../ledger/abandoned-payments';
import { AnswerReceipts, paidPurchase, type Purchase } from '../receipts/answer-receipts';
import { settlementFailed, PaymentInProgress, SettlementUnknown } from './settlement-errors';
import { paymentAlreadyUsed } from '../calls/payment-refused';
import { receiptHeaders } from './receipt';
import { ReplayPolicy } from './replay-policy';
import { SettleCalls } from './settle-calls';
import { SettlePayment } from './settle-payment';
import { StoredAnswers } from './stored-answers';

const POLL_MS = 50;
const RECONCILIATION_RETRY_SECONDS = 600;

/** A payment that the ledger knows already comes again (payments.md section 7). Never charges a second time. */
@Injectable()
export class RepeatCall {
  constructor(
    private readonly dataSource: DataSource,
    private readonly payments: FindPayments,
    private readonly takeOver: TakeOver,
    private readonly answers: StoredAnswers,
    private readonly offers: CreditOffers,
    private readonly settleCalls: SettleCalls,
    private readonly settlePayment: SettlePayment,
    private readonly receipts: AnswerReceipts,
    private readonly replayPolicy: ReplayPolicy,
    private readonly clock: Clock,
  ) {}

  isIdentical(row: PaymentRow, call: PaidCall): boolean {
    return row.payloadDigest === call.payment.digest && row.fingerprint === call.fingerprint;
  }

  /**
   * @param maySettle whether the settle circuit has let this request through already: it is asked once in a request,
   * since half open it lets a payer through only once
   * @throws PaymentRefused, PaymentInProgress, SettlementUnknown
   */
  async execute(found: PaymentRow, call: PaidCall, maySettle = false): Promise<Answer> {
    if (!this.isIdentical(found, call)) throw paymentAlreadyUsed();
    for (let row = await this.onceDecided(found, call); ; row = await this.reload(row, call)) {
      const answer = await this.answerFor(row, call, maySettle);
      if (answer) return answer;
    }
  }

  /** Null when another call has changed the row meanwhile. */
  private async answerFor(row: PaymentRow, call: PaidCall, maySettle: boolean): Promise<Answer | null> {
    if (row.state === 'settlement_failed') throw settlementFailed(call.payment, row.reason);
    if (row.served) return this.replay(row, call);
    if (row.state === 'settled') return this.answerNow(row, call);
    if (row.state === 'needs_reconciliation') throw new SettlementUnknown(RECONCILIATION_RETRY_SECONDS);
    if (!maySettle && !this.settleCalls.isRunning(row.id) && !this.settleCalls.admits(row.payer))
      throw new SettlementUnknown();
    return this.settlePayment.execute(row, call, false);
  }

  /** While the first request is at work its copies wait; one that died is taken over. */
  private async onceDecided(found: PaymentRow, call: PaidCall): Promise<PaymentRow> {
    let row = found;
    while (row.state === 'settling') {
      if (await this.orUnknown(call, this.takeOver.ifAbandoned(row))) row = await this.reload(row, call);
      else {
        if (call.deadline.leftMs === 0) throw new PaymentInProgress('payment_in_progress');
        await call.deadline.pause(POLL_MS);
        if (call.deadline.leftMs > 0) row = await this.reload(row, call);
      }
    }
    return row;
  }

  private async replay(row: PaymentRow, call: PaidCall): Promise<Answer> {
    const stored = this.replayPolicy.allows(row, call) ? await this.orUnknown(call, this.answers.find(row.id)) : null;
    if (!stored) throw paymentAlreadyUsed();
    const complete = await this.receipts.complete(stored, purchaseOf(row, call), call.deadline);
    const answer = asReplay(withHeaders(complete, receiptOf(row, call)));
    return this.replayPolicy.showsKey(row, call) ? answer : withoutToken(answer);
  }

  /** Settled, but the first request died or gave up: the result is computed from the body again. */
  private async answerNow(row: PaymentRow, call: PaidCall): Promise<Answer | null> {
    const purchase = purchaseOf(row, call);
    const result = this.receipts.sign(call.result(), purchase);
    const record = this.answers.recordOf(row.id, result);
    const recorded = await this.orUnknown(
      call,
      this.dataSource.transaction((tx) => recordLateAnswer(tx, row, record, this.clock.now())),
    );
    if (!recorded) return null;
    const answer = this.offers.answer(result, record.credit, recorded.credit);
    return withHeaders(await this.receipts.complete(answer, purchase, call.deadline), receiptOf(row, call));
  }

  private async reload(row: PaymentRow, call: PaidCall): Promise<PaymentRow> {
    return this.orUnknown(call, this.payments.byId(row.id));
  }

  private async orUnknown<T>(call: PaidCall, work: Promise<T>): Promise<T> {
    try {
      return await call.deadline.withinBudget(work);
    } catch {
      throw new SettlementUnknown();
    }
  }
}

function purchaseOf(row: PaymentRow, call: PaidCall): Purchase {
  return paidPurchase(row, call.payment.authorization, row.state === 'settled' ? 'settled' : 'settlement_pending');
}

function receiptOf(row: PaymentRow, call: PaidCall): Record<string, string> {
  const status = row.state === 'settled' ? 'settled' : 'settlement_pending';
  return receiptHeaders(call.payment, { status, transactionHash: row.transactionHash });
}

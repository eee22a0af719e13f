import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, MoreThan, type Repository } from 'typeorm';
import { type Answer, asReplay, resultAnswer, withHeaders, withoutToken, withRebate } from '../calls/call';
import { settlementResponse, paymentAlreadyUsed } from '../calls/payment';
import { PaymentTerms } from '../config/payment-terms';
import { CreditOffers } from '../credits/credit-offers';
import { FindPayments } from '../ledger/find-payments';
import { PaymentAnswerRow, type PaymentRow } from '../ledger/ledger.entities';
import { AnswerCipher, eraseExpired, recordLateAnswer } from '../ledger/answers';
import { TakeOver } from '../ledger/abandoned-payments';
import { PaymentRepeats } from '../limits/caller-limits';
import { AnswerReceipts, paidPurchase, type Purchase } from '../receipts/answer-receipts';
import { PaidAnswers, ReplayPolicy, SettlePayment } from './settle-payment';
import { PaymentInProgress, settlementFailed, SettlementUnknown } from './settlement-outcome';
import type { PaidCall } from './pay';

const POLL_MS = 50;
const RECONCILIATION_RETRY_SECONDS = 600;

/** The answers that were given, stored encrypted for as long as a repeat may ask for them. */
@Injectable()
export class StoredAnswers {
  constructor(
    @InjectRepository(PaymentAnswerRow) private readonly answers: Repository<PaymentAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly credits: CreditOffers,
    private readonly clock: Clock,
  ) {}

  /** The answer with the credit that was issued with it; null when it has expired. */
  async find(paymentId: string): Promise<Answer | null> {
    const row = await this.answers.findOneBy({ paymentId, expiresAt: MoreThan(this.clock.now()) });
    const body = row && this.cipher.decrypt(paymentId, row.body);
    if (!body) return null;
    const answer = resultAnswer(body, row.engineVersion);
    const [receipt, deliveredReceipt] = [row.receipt ?? undefined, row.deliveredReceipt ?? undefined];
    if (!row.creditToken) return { ...answer, receipt };
    const rebate = await this.credits.ofPayment(paymentId, row.creditToken);
    return { ...withRebate(answer, rebate), receipt, deliveredReceipt };
  }

  /** @returns whether some are left */
  eraseExpired(isLate: () => boolean): Promise<boolean> {
    return eraseExpired(this.answers, this.clock.now(), isLate);
  }
}

/** Answers to a call whose payment is in the ledger. */
@Injectable()
export class RepeatedAnswers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly policy: ReplayPolicy,
    private readonly stored: StoredAnswers,
    private readonly answers: PaidAnswers,
    private readonly receipts: AnswerReceipts,
    private readonly clock: Clock,
  ) {}

  /** Gives the stored answer again. @throws PaymentRefused when the answer is erased, or this caller may not have it */
  async replay(row: PaymentRow, call: PaidCall): Promise<Answer> {
    const stored = this.policy.allows(row, call) ? await orUnknown(call, this.stored.find(row.id)) : null;
    if (!stored) throw paymentAlreadyUsed();
    const complete = await this.receipts.complete(stored, purchaseOf(row, call), call.deadline);
    const answer = asReplay(withHeaders(complete, responseOf(row, call)));
    return this.policy.showsKey(row, call) ? answer : withoutToken(answer);
  }

  /**
   * The payment is settled, but its first request died or gave up: the result is computed from the body of this one. Null
   * when another call has answered meanwhile.
   */
  async late(row: PaymentRow, call: PaidCall): Promise<Answer | null> {
    const prepared = this.answers.prepare(call.result(), purchaseOf(row, call));
    const now = this.clock.now();
    const recording = this.dataSource.transaction((tx) => recordLateAnswer(tx, row, prepared.record, now));
    const recorded = await orUnknown(call, recording);
    if (!recorded) return null;
    const complete = await this.answers.complete(prepared, recorded.credit, call.deadline);
    const answer = withHeaders(complete, responseOf(row, call));
    return this.policy.mayHaveToken(row, call) ? answer : withoutToken(answer);
  }
}

/** Facts about a payment that is about to be refused. */
interface About {
  /** A row of another request leaves the refusal as it is. */
  onlyIdentical?: boolean;
  /**
   * The settle circuit has admitted this request already. It is asked once in a request, since half open it admits a
   * payer only once.
   */
  maySettle?: boolean;
}

/** A repeated call with a payment that the ledger has (docs/protocol.md). It is never charged a second time. */
@Injectable()
export class RepeatCall {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly payments: FindPayments,
    private readonly repeats: PaymentRepeats,
    private readonly takeOver: TakeOver,
    private readonly answers: RepeatedAnswers,
    private readonly settlePayment: SettlePayment,
  ) {}

  /**
   * Looks into the ledger before a payment is refused: a late repeat of a paid call still gets its answer.
   * @param refusal thrown when the ledger does not know the payment
   * @throws PaymentRefused, PaymentInProgress, SettlementUnknown, RateLimited
   */
  async orRefuse(call: PaidCall, refusal: unknown, about: About = {}): Promise<Answer> {
    const answer = await this.ifRepeated(call, about);
    if (answer === null) throw refusal;
    return answer;
  }

  /**
   * Null when the ledger does not know the payment.
   * @throws PaymentRefused, PaymentInProgress, SettlementUnknown, RateLimited
   */
  async ifRepeated(call: PaidCall, { onlyIdentical, maySettle = false }: About = {}): Promise<Answer | null> {
    const { payer, nonce } = call.payment;
    const row = await orUnknown(call, this.payments.byAuthorization(payer, nonce, this.terms.asset));
    const isIdentical =
      row !== null && row.payloadDigest === call.payment.digest && row.fingerprint === call.fingerprint;
    if (!row || (onlyIdentical && !isIdentical)) return null;
    if (!isIdentical) throw paymentAlreadyUsed();
    await this.repeats.take(row.id);
    this.know(call);
    return this.repeat(row, call, maySettle);
  }

  /** The same for a call that has passed through this process before; null for any other, without a look at the ledger. */
  async ifKnown(call: PaidCall): Promise<Answer | null> {
    return this.repeats.knows(call.identity) ? this.ifRepeated(call, { onlyIdentical: true }) : null;
  }

  /** The ledger has this call: its address gets the hit back, and its repeats need no verify. */
  know(call: PaidCall): void {
    call.attempt.prove();
    this.repeats.add(call.identity);
  }

  private async repeat(found: PaymentRow, call: PaidCall, maySettle: boolean): Promise<Answer> {
    for (let row = await this.onceDecided(found, call); ; row = await this.reload(row, call)) {
      const answer = await this.answerFor(row, call, maySettle);
      if (answer) return answer;
    }
  }

  /** Null when another call has changed the row meanwhile. */
  private async answerFor(row: PaymentRow, call: PaidCall, maySettle: boolean): Promise<Answer | null> {
    if (row.state === 'settlement_failed') throw settlementFailed(call.payment, row.reason);
    if (row.served) return this.answers.replay(row, call);
    if (row.state === 'settled') return this.answers.late(row, call);
    if (row.state === 'needs_reconciliation') throw new SettlementUnknown(RECONCILIATION_RETRY_SECONDS);
    return this.settlePayment.again(row, call, maySettle);
  }

  /** Copies wait while the first request is at work. The payment of a process that died is taken over. */
  private async onceDecided(found: PaymentRow, call: PaidCall): Promise<PaymentRow> {
    let row = found;
    while (row.state === 'settling') {
      if (await orUnknown(call, this.takeOver.ifAbandoned(row))) row = await this.reload(row, call);
      else {
        if (call.deadline.leftMs === 0) throw new PaymentInProgress('payment_in_progress');
        await call.deadline.pause(POLL_MS);
        if (call.deadline.leftMs > 0) row = await this.reload(row, call);
      }
    }
    return row;
  }

  private async reload(row: PaymentRow, call: PaidCall): Promise<PaymentRow> {
    return orUnknown(call, this.payments.byId(row.id));
  }
}

function purchaseOf(row: PaymentRow, call: PaidCall): Purchase {
  return paidPurchase(row, call.payment.authorization, servedStatus(row));
}

function responseOf(row: PaymentRow, call: PaidCall): Record<string, string> {
  return settlementResponse(call.payment, { status: servedStatus(row), transactionHash: row.transactionHash });
}

function servedStatus({ state }: PaymentRow): 'settled' | 'settlement_pending' {
  return state === 'settled' ? 'settled' : 'settlement_pending';
}

/** When the ledger does not answer in time. */
async function orUnknown<T>(call: PaidCall, work: Promise<T>): Promise<T> {
  try {
    return await call.deadline.withinBudget(work);
  } catch {
    throw new SettlementUnknown();
  }
}

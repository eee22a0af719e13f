import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { type Answer, Call, type CallFacts, type Deadline, resultAnswer, withRebate } from '../calls/call';
import type { Payment } from '../calls/payment';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { CreditOffers, EarnedCredits } from '../credits/credit-offers';
import { AnswerCipher, type AnswerRecord, type IssuedCredit, eraseExpired } from '../ledger/answers';
import { PaymentAnswerRow, type PaymentRow } from '../ledger/ledger.entities';
import type { UnprovedAttempt } from '../limits/caller-limits';
import { AnswerReceipts, type Purchase } from '../receipts/answer-receipts';

/** A valid call together with its payment. */
export class PaidCall extends Call {
  /** @param attempt the hit of the call in the limit of its address */
  constructor(
    facts: CallFacts,
    readonly payment: Payment,
    readonly attempt: UnprovedAttempt,
  ) {
    super(facts);
  }

  /** The same payment for the same request. */
  get identity(): string {
    return `${this.payment.digest} ${this.fingerprint}`;
  }
}

/** The keys that the first request with a payment has shown. */
type ShownKeys = Pick<PaymentRow, 'paymentIdentifier' | 'idempotencyKey'>;

/** Who may get an answer a second time (`PAYMENT_REPLAY`). */
@Injectable()
export class ReplayPolicy {
  constructor(private readonly config: AgentGatewayConfig) {}

  /** Whether this identical call may get the answer that was given for the row. */
  allows(row: PaymentRow, call: PaidCall): boolean {
    if (this.config.PAYMENT_REPLAY !== 'keyed') return this.config.PAYMENT_REPLAY === 'identical';
    return this.showsKey(row, call);
  }

  /**
   * Whether this identical call shows that it comes from the sender of the first one. Anybody can rebuild a payment header
   * from the chain, but neither key is on the chain.
   */
  showsKey(first: ShownKeys, call: PaidCall): boolean {
    // An equal payload has an equal identifier.
    return (
      first.paymentIdentifier !== null ||
      (first.idempotencyKey !== null && first.idempotencyKey === call.idempotencyKey)
    );
  }

  /**
   * Whether the first answer to a payment may show the token of its credit to this identical call. The request that was
   * never answered may have shown a key; then only its sender gets the token.
   */
  mayHaveToken(first: ShownKeys, call: PaidCall): boolean {
    return (first.idempotencyKey === null && first.paymentIdentifier === null) || this.showsKey(first, call);
  }

  /** Copies with an equal key share one answer while it is made. Null when this call shares with none. */
  joinKey(call: PaidCall): string | null {
    if (this.config.PAYMENT_REPLAY === 'off') return null;
    if (this.config.PAYMENT_REPLAY === 'identical' || call.payment.identifier !== null) return call.identity;
    return call.idempotencyKey && `${call.identity} ${call.idempotencyKey}`;
  }
}

/** An answer with its receipt, and what the ledger stores when the answer is given. */
export interface PreparedAnswer {
  purchase: Purchase;
  signed: Answer;
  record: AnswerRecord;
}

/** Answers that payments buy: prepared before the ledger decides, and completed with what it decided. */
@Injectable()
export class PaidAnswers {
  constructor(
    private readonly cipher: AnswerCipher,
    private readonly offers: CreditOffers,
    private readonly receipts: AnswerReceipts,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  prepare(result: Answer, purchase: Purchase): PreparedAnswer {
    const signed = this.receipts.sign(result, purchase);
    return { purchase, signed, record: this.recordOf(purchase.jti, signed) };
  }

  /**
   * The answer as it goes out.
   * @param issued the credit that the ledger has issued with it
   */
  complete(
    { purchase, signed, record }: PreparedAnswer,
    issued: IssuedCredit | null,
    deadline: Deadline,
  ): Promise<Answer> {
    return this.receipts.complete(this.offers.answer(signed, record.credit, issued), purchase, deadline);
  }

  /** For an answer that is not given: the token of its credit is free again. */
  discard({ signed, record }: PreparedAnswer): void {
    this.offers.answer(signed, record.credit, null);
  }

  private recordOf(paymentId: string, { status, body, receipt }: Answer): AnswerRecord {
    const now = this.clock.now();
    return {
      callId: uuidv7(now),
      status,
      body: this.cipher.encrypt(paymentId, body),
      engineVersion: ENGINE_VERSION,
      receipt: receipt ?? null,
      expiresAt: new Date(now.getTime() + this.config.PAYMENT_REPLAY_TTL_SECONDS * 1_000),
      credit: this.offers.make(),
    };
  }
}

/** The answers that were given, stored encrypted for as long as a repeat may ask for them. */
@Injectable()
export class StoredAnswers {
  constructor(
    @InjectRepository(PaymentAnswerRow) private readonly answers: Repository<PaymentAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly earned: EarnedCredits,
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
    const rebate = await this.earned.ofPayment(paymentId, row.creditToken);
    return { ...withRebate(answer, rebate), receipt, deliveredReceipt };
  }

  /** @returns whether some are left */
  async eraseExpired(isLate: () => boolean): Promise<boolean> {
    return eraseExpired(this.answers, this.clock.now(), isLate);
  }
}

import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { resultAnswer, withRebate, type Answer } from '../calls/answer';
import { CreditOffers, EarnedCredits } from '../credits/credit-offers';
import { AnswerCipher } from '../ledger/answer-cipher';
import type { AnswerRecord } from '../ledger/answer-record';
import { eraseExpired } from '../ledger/store-answers';
import { PaymentAnswerRow } from '../ledger/ledger.entities';

/** The answers that were given, kept encrypted for as long as a repeat may ask for them. */
@Injectable()
export class StoredAnswers {
  constructor(
    @InjectRepository(PaymentAnswerRow) private readonly answers: Repository<PaymentAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly offers: CreditOffers,
    private readonly earned: EarnedCredits,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** What the ledger keeps when this answer is given for a payment, and a credit to go with it when one is due. */
  recordOf(paymentId: string, { status, body, receipt }: Answer): AnswerRecord {
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

  /** With the credit that was issued with it. Null when its time is over. */
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

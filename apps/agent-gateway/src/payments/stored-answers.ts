import { Clock, uuidv7 } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, LessThanOrEqual, type Repository } from 'typeorm';
import { AgentGatewayConfig } from '../agent-gateway.config';
import { resultAnswer, type Answer } from '../calls/answer';
import { AnswerCipher } from '../ledger/answer-cipher';
import type { AnswerRecord } from '../ledger/answer-record';
import { PaymentAnswerRow } from '../ledger/payment-answer.entity';

/** The answers that were given, kept encrypted for as long as a repeat may ask for them. */
@Injectable()
export class StoredAnswers {
  constructor(
    @InjectRepository(PaymentAnswerRow) private readonly answers: Repository<PaymentAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** What the ledger keeps when this answer is given for a payment. */
  recordOf(paymentId: string, { status, body }: Answer): AnswerRecord {
    const now = this.clock.now();
    return {
      callId: uuidv7(now),
      status,
      body: this.cipher.encrypt(paymentId, body),
      engineVersion: ENGINE_VERSION,
      expiresAt: new Date(now.getTime() + this.config.PAYMENT_REPLAY_TTL_SECONDS * 1_000),
    };
  }

  /** Null when its time is over. */
  async find(paymentId: string): Promise<Answer | null> {
    const row = await this.answers.findOneBy({ paymentId, expiresAt: MoreThan(this.clock.now()) });
    const body = row && this.cipher.decrypt(paymentId, row.body);
    return body && resultAnswer(body, row.engineVersion);
  }

  async eraseExpired(): Promise<void> {
    await this.answers.delete({ expiresAt: LessThanOrEqual(this.clock.now()) });
  }
}

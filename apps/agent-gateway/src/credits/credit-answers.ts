import { Clock } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { resultAnswer, type Answer } from '../calls/answer';
import type { Call } from '../calls/call';
import { AnswerCipher } from '../ledger/answer-cipher';
import { CreditAnswerRow } from '../ledger/credit-answer.entity';
import { eraseExpired } from '../ledger/erase-expired';
import type { KeptAnswer } from '../ledger/redeem-credit';

/** The answers that credits have bought, for whoever lost one. */
@Injectable()
export class CreditAnswers {
  constructor(
    @InjectRepository(CreditAnswerRow) private readonly answers: Repository<CreditAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** What the ledger keeps of an answer. */
  keep(creditId: string, { idempotencyKey, fingerprint }: Call, { body, receipt }: Answer): KeptAnswer {
    return {
      idempotencyKey,
      fingerprint,
      body: this.cipher.encrypt(creditId, body),
      receipt: receipt ?? null,
      engineVersion: ENGINE_VERSION,
      expiresAt: new Date(this.clock.now().getTime() + this.config.PAYMENT_REPLAY_TTL_SECONDS * 1_000),
    };
  }

  /**
   * The answer that this same call has bought with the credit before, for who shows the key of the first call or, holding
   * the token, brings a payment that it must not cost; null for any other call.
   */
  async find(creditId: string, { idempotencyKey, fingerprint }: Call, hasPayment: boolean): Promise<Answer | null> {
    if (idempotencyKey === null && !hasPayment) return null;
    const shown = hasPayment ? {} : { idempotencyKey: idempotencyKey! };
    const expiresAt = MoreThan(this.clock.now());
    const row = await this.answers.findOneBy({ creditId, fingerprint, expiresAt, ...shown });
    const body = row && this.cipher.decrypt(creditId, row.body);
    return body && { ...resultAnswer(body, row.engineVersion), receipt: row.receipt ?? undefined };
  }

  /** @returns whether some are left */
  async eraseExpired(isLate: () => boolean): Promise<boolean> {
    return eraseExpired(this.answers, this.clock.now(), isLate);
  }
}

import { Clock } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { type Answer, type Call, resultAnswer } from '../calls/call';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AnswerCipher } from '../ledger/answer-record';
import { CreditAnswerRow } from '../ledger/ledger.entities';
import { eraseExpired } from '../ledger/store-answers';
import type { RedeemedAnswer } from '../ledger/redeemable-credits';

/** The answers that credits have bought, for callers who lost one. */
@Injectable()
export class CreditAnswers {
  constructor(
    @InjectRepository(CreditAnswerRow) private readonly answers: Repository<CreditAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** What the ledger stores of an answer. */
  recordOf(creditId: string, { idempotencyKey, fingerprint }: Call, { body, receipt }: Answer): RedeemedAnswer {
    return {
      idempotencyKey,
      fingerprint,
      body: this.cipher.encrypt(creditId, body),
      receipt: receipt ?? null,
      engineVersion: ENGINE_VERSION,
      expiresAt: new Date(this.clock.now().getTime() + this.config.PAYMENT_REPLAY_TTL_SECONDS * 1_000),
    };
  }

  /** The answer that this same call, with the same key, has bought with the credit before; null for any other call. */
  async find(creditId: string, { idempotencyKey, fingerprint }: Call): Promise<Answer | null> {
    if (idempotencyKey === null) return null;
    const expiresAt = MoreThan(this.clock.now());
    const row = await this.answers.findOneBy({ creditId, fingerprint, idempotencyKey, expiresAt });
    const body = row && this.cipher.decrypt(creditId, row.body);
    return body && { ...resultAnswer(body, row.engineVersion), receipt: row.receipt ?? undefined };
  }

  /** @returns whether some are left */
  async eraseExpired(isLate: () => boolean): Promise<boolean> {
    return eraseExpired(this.answers, this.clock.now(), isLate);
  }
}

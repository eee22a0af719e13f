import { createHash, randomBytes } from 'node:crypto';
import type { RebateEarned } from '@evenkeel/contracts';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { type Answer, rebateEarned, withRebate } from '../calls/call';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AnswerCipher, type CreditOffer, type CreditToken, type IssuedCredit } from '../ledger/answers';
import { CreditRow } from '../ledger/ledger.entities';

const PREFIX = 'hrc_';
const FORM = /^hrc_[A-Za-z0-9_-]{43}$/;
const DAY_MS = 86_400_000;

/** Null for what cannot be a token of ours. */
export function tokenHash(token: string): string | null {
  return FORM.test(token) ? createHash('sha256').update(token).digest('hex') : null;
}

/** Credits that go into the ledger with an answer, in case that one is due: only the ledger knows. Most are not needed. */
@Injectable()
export class CreditOffers {
  constructor(
    @InjectRepository(CreditRow) private readonly credits: Repository<CreditRow>,
    private readonly cipher: AnswerCipher,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  make(): CreditOffer {
    const now = this.clock.now();
    const { CREDIT_FACE_MICROS: faceMicros, CREDIT_TTL_DAYS: ttlDays } = this.config;
    return {
      id: uuidv7(now),
      eventId: uuidv7(now),
      token: this.newToken(),
      faceMicros,
      expiresAt: ttlDays === 0 ? null : new Date(now.getTime() + ttlDays * DAY_MS),
    };
  }

  /** The answer as it goes out after the commit: with the credit, where the statement has issued one. */
  answer(answer: Answer, offer: CreditOffer | null, issued: IssuedCredit | null): Answer {
    if (!offer || !issued) return answer;
    return withRebate(answer, rebateEarned({ ...offer, ...issued, token: offer.token.clear }));
  }

  /**
   * The credit that went out with an answer, for a replay of it; without its token when the key of that is gone.
   * @param sealedToken as it is stored with the answer
   */
  async ofPayment(paymentId: string, sealedToken: Buffer): Promise<RebateEarned> {
    const credit = await this.credits.findOneByOrFail({ earnedBy: paymentId });
    const token = this.cipher.decrypt(credit.tokenHash, sealedToken)?.toString() ?? null;
    return rebateEarned({ ...credit, token });
  }

  private newToken(): CreditToken {
    const clear = PREFIX + randomBytes(32).toString('base64url');
    const hash = tokenHash(clear)!;
    return { clear, hash, sealed: this.cipher.encrypt(hash, Buffer.from(clear)) };
  }
}

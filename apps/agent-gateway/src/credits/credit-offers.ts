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
const MAX_SPARE = 64;
const DAY_MS = 86_400_000;

/** Null for what cannot be a token of ours. */
export function tokenHash(token: string): string | null {
  return FORM.test(token) ? createHash('sha256').update(token).digest('hex') : null;
}

/**
 * Tokens for credits that may be issued. Each settlement gets one, because only the ledger knows whether a credit is
 * due; most are not needed, and a token that was not given out serves for the next offer.
 */
@Injectable()
export class CreditTokens {
  private readonly spare: CreditToken[] = [];

  constructor(private readonly cipher: AnswerCipher) {}

  take(): CreditToken {
    return this.spare.pop() ?? this.make();
  }

  /** Only when it is certain that it was not issued. */
  giveBack(token: CreditToken): void {
    if (this.spare.length < MAX_SPARE) this.spare.push(token);
  }

  /** The clear form again; null when the key is gone. */
  open(hash: string, sealed: Buffer): string | null {
    return this.cipher.decrypt(hash, sealed)?.toString() ?? null;
  }

  private make(): CreditToken {
    const clear = PREFIX + randomBytes(32).toString('base64url');
    const hash = tokenHash(clear)!;
    return { clear, hash, sealed: this.cipher.encrypt(hash, Buffer.from(clear)) };
  }
}

/** Credits that go into the ledger with an answer, in case that one is due. */
@Injectable()
export class CreditOffers {
  constructor(
    private readonly tokens: CreditTokens,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  make(): CreditOffer {
    const now = this.clock.now();
    const { CREDIT_FACE_MICROS: faceMicros, CREDIT_TTL_DAYS: ttlDays } = this.config;
    return {
      id: uuidv7(now),
      eventId: uuidv7(now),
      token: this.tokens.take(),
      faceMicros,
      expiresAt: ttlDays === 0 ? null : new Date(now.getTime() + ttlDays * DAY_MS),
    };
  }

  /**
   * The answer as it goes out after the commit: with the credit, where one was issued.
   * @param issued what the committed statement returned for this offer
   */
  answer(answer: Answer, offer: CreditOffer | null, issued: IssuedCredit | null): Answer {
    if (!offer) return answer;
    if (issued) return withRebate(answer, rebateEarned({ ...offer, ...issued, token: offer.token.clear }));
    this.tokens.giveBack(offer.token);
    return answer;
  }
}

/** Credits that went out with an answer, for a replay of it. */
@Injectable()
export class EarnedCredits {
  constructor(
    @InjectRepository(CreditRow) private readonly credits: Repository<CreditRow>,
    private readonly tokens: CreditTokens,
  ) {}

  /** @param sealedToken as it is stored with the answer */
  async ofPayment(paymentId: string, sealedToken: Buffer): Promise<RebateEarned> {
    const credit = await this.credits.findOneByOrFail({ earnedBy: paymentId });
    return rebateEarned({ ...credit, token: this.tokens.open(credit.tokenHash, sealedToken) });
  }
}

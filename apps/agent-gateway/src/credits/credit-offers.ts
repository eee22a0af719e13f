import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { withRebate, type Answer, rebateEarned } from '../calls/answer';
import type { CreditOffer, IssuedCredit } from '../ledger/credit-offer';
import { CreditTokens } from './credit-tokens';

const DAY_MS = 86_400_000;

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
   * The answer as it goes out once the ledger has spoken: with the credit, where one was issued.
   * @param issued what the committed statement said of this very offer
   */
  answer(answer: Answer, offer: CreditOffer | null, issued: IssuedCredit | null): Answer {
    if (!offer) return answer;
    if (issued) return withRebate(answer, rebateEarned({ ...offer, ...issued, token: offer.token.clear }));
    this.tokens.giveBack(offer.token);
    return answer;
  }
}

import { Injectable } from '@nestjs/common';
import { type Answer, asReplay, type Call, withHeaders } from '../calls/call';
import { RedeemableCredits, type FoundCredit } from '../ledger/redeemable-credits';
import type { UnprovedAttempt } from '../limits/caller-limits';
import { CreditAnswers } from './credit-answers';
import { tokenHash } from './credit-offers';
import { creditInvalid, creditSpent, orRedemptionUnknown, REDEEMED } from './credit-refused';
import { RedeemCredit } from './redeem-credit';

/** What else is known of the request. */
interface RequestFacts {
  attempt: UnprovedAttempt;
  hasPayment: boolean;
}

/** One call paid with a credit: an unspent credit is redeemed, a spent one gives its answer to the same request again. */
@Injectable()
export class PayByCredit {
  constructor(
    private readonly credits: RedeemableCredits,
    private readonly answers: CreditAnswers,
    private readonly redeemCredit: RedeemCredit,
  ) {}

  /** @throws CreditRefused (402), RateLimited (429), RedemptionUnknown (502) */
  async execute(call: Call, token: string, facts: RequestFacts): Promise<Answer> {
    const credit = await this.find(call, token);
    if (credit.redeemed) return this.replay(call, credit, facts);
    if (credit.expired) throw creditInvalid();
    facts.attempt.prove();
    const answer = await this.redeemCredit.execute(call, credit, facts.hasPayment);
    // Null: another call was faster, and the ledger says which.
    return answer ?? this.replay(call, await this.find(call, token), facts);
  }

  private async find(call: Call, token: string): Promise<FoundCredit> {
    const hash = tokenHash(token);
    const credit = hash === null ? null : await orRedemptionUnknown(call, this.credits.byTokenHash(hash));
    if (!credit) throw creditInvalid();
    return credit;
  }

  /** A second use: the answer of the first one for the same request, else none. */
  private async replay(call: Call, credit: FoundCredit, { attempt }: RequestFacts): Promise<Answer> {
    const stored = await orRedemptionUnknown(call, this.answers.find(credit.id, call));
    if (!stored) throw creditSpent();
    attempt.prove();
    return asReplay(withHeaders(stored, REDEEMED));
  }
}

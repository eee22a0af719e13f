import { Clock, uuidv7 } from '@evenkeel/kernel';
import type { LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { asReplay, withHeaders, type Answer } from '../calls/answer';
import type { Call } from '../calls/call';
import { PaymentTerms } from '../config/payment-terms';
import { CrashPoints } from '../config/crash-points';
import { FindCredits, type FoundCredit } from '../ledger/find-credits';
import { RedeemCredit } from '../ledger/redeem-credit';
import { type UnprovedAttempt, uncharged, WalletLimit } from '../limits/caller-limits';
import { AnswerReceipts } from '../receipts/answer-receipts';
import { creditPurchase } from '../receipts/purchase';
import { CreditAnswers } from './credit-answers';
import { CREDIT_STATUS_HEADER, creditInvalid, creditSpent, creditSpentOnThis, RedemptionUnknown } from './credit-refused';
import { tokenHash } from './credit-tokens';

/** What else is known of the request. */
interface Came {
  attempt: UnprovedAttempt;
  hasPayment: boolean;
}

const REDEEMED = { [CREDIT_STATUS_HEADER]: 'redeemed' };

/** One call paid with a credit: look it up, compute, and only then redeem, in the transaction that records the call. */
@Injectable()
export class PayByCredit {
  constructor(
    private readonly credits: FindCredits,
    private readonly redeemCredit: RedeemCredit,
    private readonly answers: CreditAnswers,
    private readonly receipts: AnswerReceipts,
    private readonly terms: PaymentTerms,
    private readonly walletLimit: WalletLimit,
    private readonly config: AgentGatewayConfig,
    private readonly crashPoints: CrashPoints,
    private readonly clock: Clock,
  ) {}

  /** @throws CreditRefused (402), RateLimited (429), RedemptionUnknown (502) */
  async execute(call: Call, token: string, came: Came): Promise<Answer> {
    const credit = await this.find(call, token);
    if (credit.redeemed) return this.replay(call, credit, came);
    if (credit.expiresAt && credit.expiresAt <= this.clock.now()) throw creditInvalid();
    came.attempt.prove();
    const answer = await this.redeem(call, credit, came);
    // Null: another call was faster, and has said in the ledger what it was.
    return answer ?? this.replay(call, await this.find(call, token), came);
  }

  private async find(call: Call, token: string): Promise<FoundCredit> {
    const hash = tokenHash(token);
    const credit = hash === null ? null : await orUnknown(call, this.credits.byTokenHash(hash));
    if (!credit) throw creditInvalid();
    return credit;
  }

  private async redeem(call: Call, credit: FoundCredit, { hasPayment }: Came): Promise<Answer | null> {
    let standing: LimitStatus;
    try {
      standing = await this.walletLimit.take(credit.payer);
    } catch (error) {
      throw hasPayment ? error : uncharged(error);
    }
    const result = this.receipts.sign(call.result(), creditPurchase(credit, call, this.terms));
    const redeemedAt = this.clock.now();
    const { path: endpoint, priceMicros } = call.endpoint;
    this.crashPoints.pass('before_commit');
    const redeemed = await orUnknown(
      call,
      this.redeemCredit.execute({
        creditId: credit.id,
        wallet: credit.payer,
        faceMicros: credit.faceMicros,
        priceMicros,
        costMicros: this.config.costMicros(endpoint),
        callId: uuidv7(redeemedAt),
        endpoint,
        requestId: call.requestId,
        redeemedAt,
        answer: this.answers.keep(credit.id, call, result),
      }),
    );
    this.crashPoints.pass('after_commit');
    if (!redeemed) return null;
    return withHeaders(result, { ...REDEEMED, ...(await this.walletLimit.headers(credit.payer, standing)) });
  }

  /** A second use: the answer of the first one for the same request, else none. */
  private async replay(call: Call, credit: FoundCredit, { attempt, hasPayment }: Came): Promise<Answer> {
    const stored = await orUnknown(call, this.answers.find(credit.id, call, hasPayment));
    if (!stored) throw credit.fingerprint === call.fingerprint ? creditSpentOnThis() : creditSpent();
    attempt.prove();
    return asReplay(withHeaders(stored, REDEEMED));
  }
}

async function orUnknown<T>(call: Call, work: Promise<T>): Promise<T> {
  try {
    return await call.deadline.withinBudget(work);
  } catch {
    throw new RedemptionUnknown();
  }
}

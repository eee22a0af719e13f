import type { LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { type Answer, type Call, withHeaders } from '../calls/call';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { CrashPoints } from '../config/crash-points';
import { RedeemableCredits, type FoundCredit } from '../ledger/redeemable-credits';
import { uncharged, WalletLimit } from '../limits/caller-limits';
import { AnswerReceipts } from '../receipts/answer-receipts';
import { CreditAnswers } from './credit-answers';
import { orRedemptionUnknown, REDEEMED } from './credit-refused';

/** Spends a credit on a call: compute first, and only then redeem, in the transaction that records the call. */
@Injectable()
export class RedeemCredit {
  constructor(
    private readonly credits: RedeemableCredits,
    private readonly answers: CreditAnswers,
    private readonly receipts: AnswerReceipts,
    private readonly walletLimit: WalletLimit,
    private readonly config: AgentGatewayConfig,
    private readonly crashPoints: CrashPoints,
  ) {}

  /**
   * @returns null when another call has spent it meanwhile
   * @throws RateLimited (429), RedemptionUnknown (502)
   */
  async execute(call: Call, credit: FoundCredit, hasPayment: boolean): Promise<Answer | null> {
    let limitStatus: LimitStatus;
    try {
      limitStatus = await this.walletLimit.take(credit.payer);
    } catch (error) {
      throw hasPayment ? error : uncharged(error);
    }
    const result = this.receipts.signForCredit(call.result(), credit, call);
    const { path: endpoint, priceMicros } = call.endpoint;
    this.crashPoints.pass('before_commit');
    const redeemed = await orRedemptionUnknown(
      call,
      this.credits.redeem({
        creditId: credit.id,
        wallet: credit.payer,
        faceMicros: credit.faceMicros,
        priceMicros,
        costMicros: this.config.costMicros(endpoint),
        endpoint,
        requestId: call.requestId,
        answer: this.answers.recordOf(credit.id, call, result),
      }),
    );
    this.crashPoints.pass('after_commit');
    if (!redeemed) return null;
    return withHeaders(result, { ...REDEEMED, ...(await this.walletLimit.headers(credit.payer, limitStatus)) });
  }
}

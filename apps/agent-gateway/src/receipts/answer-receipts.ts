import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { sentDigest, type Answer } from '../calls/answer';
import type { Deadline } from '../calls/deadline';
import { withoutToken } from '../calls/rebate-earned';
import { KeepReceipts, type KeptReceipts } from '../ledger/keep-receipts';
import type { Purchase } from './purchase';
import { ReceiptSigner } from './receipt-signer';

/** Receipts of answers. They are kept with what they belong to: every copy of an answer carries the same one. */
@Injectable()
export class AnswerReceipts {
  private readonly logger = new Logger('receipts');

  constructor(
    private readonly signer: ReceiptSigner,
    private readonly kept: KeepReceipts,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** Before the answer is recorded, so that nothing has to be written afterwards. */
  sign(answer: Answer, purchase: Purchase): Answer {
    return withReceipts(answer, { receipt: this.receiptOf(answer, purchase), deliveredReceipt: null });
  }

  /**
   * The receipts that a recorded answer still lacks: one that took a credit along has other bytes than were signed before.
   * Of several who sign for one answer the first to write counts.
   */
  async complete(answer: Answer, purchase: Purchase, deadline: Deadline): Promise<Answer> {
    const { rebate, receipt, deliveredReceipt } = answer;
    if (receipt !== undefined && (!rebate || deliveredReceipt !== undefined)) return answer;
    const made = {
      receipt: this.receiptOf(answer, purchase),
      deliveredReceipt: rebate ? this.receiptOf(withoutToken(answer), purchase) : null,
    };
    try {
      return withReceipts(answer, await deadline.withinBudget(this.kept.orExisting(purchase.jti, made)));
    } catch (error) {
      // The answer is paid for and goes out; a repeat of it may carry another receipt, which is as good.
      this.logger.warn({ message: 'the receipt of an answer could not be kept', paymentId: purchase.jti, error });
      return withReceipts(answer, made);
    }
  }

  private receiptOf(answer: Answer, purchase: Purchase): string {
    // Named one by one: JSON.stringify is slower on an object that was put together by spreading.
    return this.signer.sign({
      iss: this.config.baseUrl,
      iat: Math.floor(this.clock.now().getTime() / 1_000),
      jti: purchase.jti,
      payer: purchase.payer,
      nonce: purchase.nonce,
      endpoint: purchase.endpoint,
      amount_atomic: purchase.amount_atomic,
      asset: purchase.asset,
      network: purchase.network,
      pay_to: purchase.pay_to,
      status: purchase.status,
      request_digest: purchase.request_digest,
      response_digest: sentDigest(answer),
      engine_version: answer.headers['X-Engine-Version']!,
    });
  }
}

function withReceipts(answer: Answer, { receipt, deliveredReceipt }: KeptReceipts): Answer {
  const { status, headers, body, rebate } = answer;
  return { status, headers, body, rebate, receipt, deliveredReceipt: deliveredReceipt ?? undefined };
}

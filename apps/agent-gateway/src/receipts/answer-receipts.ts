import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { getAddress } from 'viem';
import { type Answer, type Call, type Deadline, sentDigest, withoutToken } from '../calls/call';
import type { Authorization } from '../calls/payment';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { Es256Signer } from '../config/jws';
import { PaymentTerms } from '../config/payment-terms';
import type { Claim } from '../ledger/claim-payments';
import type { CreditRow } from '../ledger/ledger.entities';
import { StoreReceipts, type StoredReceipts } from '../ledger/answers';

/** `redeemed`: a credit paid, and nothing moved on the chain. */
type PurchaseStatus = 'settled' | 'settlement_pending' | 'redeemed';

/** The claims of a receipt (docs/receipts.md). Addresses are checksummed, digests have the form of `Content-Digest`. */
export interface ReceiptClaims {
  /** Base URL of the seller. */
  iss: string;
  /** Seconds since 1970. */
  iat: number;
  /** Of the purchase: the same on every copy of an answer. */
  jti: string;
  /** Who signed the payment, or whose payments earned the credit. */
  payer: string;
  /** Of the authorization; null for a credit. */
  nonce: string | null;
  endpoint: string;
  /** Price of the call, in atomic units of the asset. */
  amount_atomic: string;
  asset: string;
  /** CAIP-2. */
  network: string;
  pay_to: string;
  /** At `iat`. */
  status: PurchaseStatus;
  /** Of method, path and canonical body: the fingerprint. */
  request_digest: string;
  /** Of the bytes of the answer: its `Content-Digest`. */
  response_digest: string;
  engine_version: string;
}

/** Writes receipts as compact JWS (RFC 7515), ES256. */
@Injectable()
export class ReceiptSigner extends Es256Signer {
  constructor({ receiptKeys }: AgentGatewayConfig) {
    super(receiptKeys, 'receipt+jwt');
  }
}

/** The claims about a purchase, whichever answer it comes with. */
export type Purchase = Omit<ReceiptClaims, 'iss' | 'iat' | 'response_digest' | 'engine_version'>;

/** Receipts of answers. They are stored with their answers: every copy of an answer has the same one. */
@Injectable()
export class AnswerReceipts {
  private readonly logger = new Logger('receipts');

  constructor(
    private readonly signer: ReceiptSigner,
    private readonly stored: StoreReceipts,
    private readonly terms: PaymentTerms,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /** Before the answer is recorded, so that nothing has to be written afterwards. */
  sign(answer: Answer, purchase: Purchase): Answer {
    return withReceipts(answer, { receipt: this.receiptOf(answer, purchase), deliveredReceipt: null });
  }

  /** The same for an answer that a credit buys. */
  signForCredit(answer: Answer, credit: CreditRow, call: Call): Answer {
    return this.sign(answer, creditPurchase(credit, call, this.terms));
  }

  /**
   * The receipts that a recorded answer still lacks: one that took a credit along has other bytes than were signed before.
   * Of several receipts that are signed for one answer the first one stored is valid.
   */
  async complete(answer: Answer, purchase: Purchase, deadline: Deadline): Promise<Answer> {
    const { rebate, receipt, deliveredReceipt } = answer;
    if (receipt !== undefined && (!rebate || deliveredReceipt !== undefined)) return answer;
    const made = {
      receipt: this.receiptOf(answer, purchase),
      deliveredReceipt: rebate ? this.receiptOf(withoutToken(answer), purchase) : null,
    };
    try {
      return withReceipts(answer, await deadline.withinBudget(this.stored.orExisting(purchase.jti, made)));
    } catch (error) {
      // The answer is paid for and goes out; a repeat of it may have another receipt, which is equally valid.
      this.logger.warn({ message: 'the receipt of an answer could not be stored', paymentId: purchase.jti, error });
      return withReceipts(answer, made);
    }
  }

  private receiptOf(answer: Answer, purchase: Purchase): string {
    return this.signer.sign({
      iss: this.config.baseUrl,
      iat: Math.floor(this.clock.now().getTime() / 1_000),
      ...purchase,
      response_digest: sentDigest(answer),
      engine_version: answer.headers['X-Engine-Version']!,
    });
  }
}

function withReceipts(answer: Answer, { receipt, deliveredReceipt }: StoredReceipts): Answer {
  return { ...answer, receipt, deliveredReceipt: deliveredReceipt ?? undefined };
}

/** From the row and the signed payment, never from settings, which may have changed since the payment. */
export function paidPurchase(payment: Claim, { to, value }: Authorization, status: PurchaseStatus): Purchase {
  return {
    jti: payment.id,
    payer: getAddress(payment.payer),
    nonce: payment.nonce,
    endpoint: payment.endpoint,
    amount_atomic: value,
    asset: getAddress(payment.asset),
    network: `eip155:${payment.chainId}`,
    pay_to: getAddress(to),
    status,
    request_digest: digestOf(payment.fingerprint),
  };
}

function creditPurchase({ id, payer }: CreditRow, call: Call, terms: PaymentTerms): Purchase {
  const { path, priceMicros } = call.endpoint;
  return {
    jti: id,
    payer: getAddress(payer),
    nonce: null,
    endpoint: path,
    amount_atomic: String(priceMicros),
    asset: terms.asset,
    network: terms.chain.caip2,
    pay_to: terms.payTo,
    status: 'redeemed',
    request_digest: digestOf(call.fingerprint),
  };
}

function digestOf(fingerprint: string): string {
  return `sha-256=:${Buffer.from(fingerprint, 'hex').toString('base64')}:`;
}

import { DomainError, Clock } from '@evenkeel/kernel';
import { ENGINE_VERSION } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import type { LimitStatus } from '@evenkeel/platform/auth';
import { type Call, type Answer, resultAnswer, withHeaders, asReplay } from '../calls/call';
import { PaymentRefused } from '../calls/payment';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { AnswerCipher, eraseExpired } from '../ledger/answers';
import { CreditAnswerRow, type CreditRow } from '../ledger/ledger.entities';
import { type RedeemedAnswer, RedeemableCredits } from '../ledger/redeemable-credits';
import { CrashPoints } from '../config/crash-points';
import { uncharged, WalletLimit, type UnprovedAttempt } from '../limits/caller-limits';
import { AnswerReceipts } from '../receipts/answer-receipts';
import { tokenHash } from './credit-offers';

const CREDIT_STATUS_HEADER = 'X-Agent-Credit-Status';
const REDEEMED = { [CREDIT_STATUS_HEADER]: 'redeemed' };

/** A credit that does not pay for the call: a 402 with a fresh challenge, unless a payment came along. */
export class CreditRefused extends PaymentRefused {
  override readonly headers: Record<string, string>;

  constructor(status: 'spent' | 'invalid', message: string) {
    super(`credit_${status}`, message);
    this.headers = { [CREDIT_STATUS_HEADER]: status };
  }
}

function creditInvalid(): CreditRefused {
  return new CreditRefused('invalid', 'This is no credit of ours, or it has expired. Pay for this call.');
}

/** The ledger did not say whether the credit was redeemed. */
class RedemptionUnknown extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'settlement_unknown';
  override readonly retryAfterSeconds = 5;
  override readonly details = { charged: null, retry: 'retry_same' };

  constructor() {
    super(
      'Whether the credit was redeemed is not known yet. Repeat the identical request; with an Idempotency-Key it gets ' +
        'its answer even if it was.',
    );
  }
}

/** @throws RedemptionUnknown when the ledger fails, or does not answer in the time of the call */
async function orRedemptionUnknown<T>(call: Call, work: Promise<T>): Promise<T> {
  try {
    return await call.deadline.withinBudget(work);
  } catch {
    throw new RedemptionUnknown();
  }
}

/** The answers that credits have bought, for callers who lost one. */
@Injectable()
export class CreditAnswers {
  constructor(
    @InjectRepository(CreditAnswerRow) private readonly answers: Repository<CreditAnswerRow>,
    private readonly cipher: AnswerCipher,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  recordOf(creditId: string, { body, receipt }: Answer): RedeemedAnswer {
    return {
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
  eraseExpired(isLate: () => boolean): Promise<boolean> {
    return eraseExpired(this.answers, this.clock.now(), isLate);
  }
}

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
    private readonly receipts: AnswerReceipts,
    private readonly walletLimit: WalletLimit,
    private readonly config: AgentGatewayConfig,
    private readonly crashPoints: CrashPoints,
    private readonly clock: Clock,
  ) {}

  /** @throws CreditRefused (402), RateLimited (429), RedemptionUnknown (502) */
  async execute(call: Call, token: string, facts: RequestFacts): Promise<Answer> {
    const credit = await this.find(call, token);
    if (credit.redeemedAt) return this.replay(call, credit, facts);
    if (credit.expiresAt && credit.expiresAt <= this.clock.now()) throw creditInvalid();
    facts.attempt.prove();
    const answer = await this.redeem(call, credit, facts.hasPayment);
    // Null: another call was faster, and the ledger says which.
    return answer ?? this.replay(call, await this.find(call, token), facts);
  }

  private async find(call: Call, token: string): Promise<CreditRow> {
    const hash = tokenHash(token);
    const credit = hash === null ? null : await orRedemptionUnknown(call, this.credits.byTokenHash(hash));
    if (!credit) throw creditInvalid();
    return credit;
  }

  /** Computes first and only then redeems, in the transaction that records the call. Null when another call was faster. */
  private async redeem(call: Call, credit: CreditRow, hasPayment: boolean): Promise<Answer | null> {
    let limitStatus: LimitStatus;
    try {
      limitStatus = await this.walletLimit.take(credit.payer);
    } catch (error) {
      throw hasPayment ? error : uncharged(error);
    }
    const result = this.receipts.signForCredit(call.result(), credit, call);
    const record = this.answers.recordOf(credit.id, result);
    const costMicros = this.config.costMicros(call.endpoint.path);
    this.crashPoints.pass('before_commit');
    const redeemed = await orRedemptionUnknown(call, this.credits.redeem(credit, call, record, costMicros));
    this.crashPoints.pass('after_commit');
    if (!redeemed) return null;
    return withHeaders(result, { ...REDEEMED, ...(await this.walletLimit.headers(credit.payer, limitStatus)) });
  }

  /** A second use: the answer of the first one for the same request, else none. */
  private async replay(call: Call, credit: CreditRow, { attempt }: RequestFacts): Promise<Answer> {
    const stored = await orRedemptionUnknown(call, this.answers.find(credit.id, call));
    if (!stored) throw new CreditRefused('spent', 'This credit has paid for a call already. Pay for this one.');
    attempt.prove();
    return asReplay(withHeaders(stored, REDEEMED));
  }
}

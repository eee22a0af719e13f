import { Clock, uuidv7 } from '@evenkeel/kernel';
import type { LimitStatus } from '@evenkeel/platform/throttling';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { withHeaders, type Answer } from '../calls/answer';
import type { PaidCall } from './paid-call';
import { PaymentTerms } from '../config/payment-terms';
import { CrashPoints } from '../config/crash-points';
import type { PaymentRequirements } from '../facilitator/payment-requirements';
import { ClaimPayments, type Claim } from '../ledger/claim-payments';
import { StoredRequirements } from '../ledger/stored-requirements';
import { FindPayments } from '../ledger/find-payments';
import type { PaymentRow } from '../ledger/ledger.entities';
import { uncharged, WalletLimit } from '../limits/wallet-limit';
import { checkScheme, checkTerms, checkTime } from './check-terms';
import { paymentAlreadyUsed, PaymentRefused } from '../calls/payment-refused';
import { Places, type Place } from './places';
import { RepeatCall } from './repeat-call';
import { SettleCalls } from './settle-calls';
import { SettlePayment } from './settle-payment';
import { PaymentVerificationUnavailable, SettlementUnknown } from './settlement-errors';
import { VerifyPayment } from './verify-payment';

type Headers = Record<string, string>;

/** One paid call from the decoded payment to the answer: verify, claim, settle, record (payments.md section 6). */
@Injectable()
export class PayForCall {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
    private readonly places: Places,
    private readonly verifyPayment: VerifyPayment,
    private readonly walletLimit: WalletLimit,
    private readonly requirements: StoredRequirements,
    private readonly payments: FindPayments,
    private readonly claims: ClaimPayments,
    private readonly settleCalls: SettleCalls,
    private readonly settlePayment: SettlePayment,
    private readonly repeatCall: RepeatCall,
    private readonly crashPoints: CrashPoints,
  ) {}

  /**
   * @throws PaymentRefused (402), PaymentVerificationUnavailable (502), SettlementUnknown (502), PaymentInProgress (429),
   * RateLimited (429)
   */
  async execute(call: PaidCall): Promise<Answer> {
    try {
      return await this.pay(call);
    } catch (error) {
      // A fresh offer says how often its payer may take it.
      if (error instanceof PaymentRefused) {
        Object.assign(error.headers, await inTime(call, this.walletLimit.policyOf(call.payment.payer)));
      }
      throw error;
    }
  }

  /** What this process can tell by itself comes first: a payment that is wrong at sight takes no place. */
  private async pay(call: PaidCall): Promise<Answer> {
    const unknownScheme = checkScheme(call.payment, this.terms);
    if (unknownScheme) throw unknownScheme;
    const refusal = checkTerms(call.payment, call.endpoint, this.terms);
    if (refusal) return this.repeatOr(call, refusal, { onlyIdentical: true });
    const notInTime = checkTime(call.payment, this.terms, this.clock.now());
    if (notInTime) return this.repeatOr(call, notInTime);

    const place = this.places.take(call.attempt.caller);
    try {
      return await this.verifyAndSettle(call, place);
    } finally {
      this.places.leave(place);
    }
  }

  private async verifyAndSettle(call: PaidCall, place: Place): Promise<Answer> {
    const verified = await this.verifyPayment.execute(call);
    this.crashPoints.pass('verified');
    if (verified.refusal) {
      place.unfinished = verified.unfinished;
      return this.repeatOr(call, verified.refusal);
    }
    this.places.pass(place);

    const { payer } = call.payment;
    let standing: LimitStatus;
    try {
      standing = await this.walletLimit.take(payer);
    } catch (error) {
      return this.repeatOr(call, uncharged(error));
    }
    call.result();
    if (!this.settleCalls.admits(payer)) return this.repeatOr(call, new PaymentVerificationUnavailable());
    const answer = await this.claimAndSettle(call, verified.requirements);
    return withHeaders(answer, await inTime(call, this.walletLimit.headers(payer, standing)));
  }

  private async claimAndSettle(call: PaidCall, requirements: PaymentRequirements): Promise<Answer> {
    let claim: Claim;
    let claimed: boolean;
    try {
      claim = await this.claimOf(call, requirements);
      claimed = await call.deadline.within(this.claims.claim(claim, call.deadline));
    } catch {
      // The insert may be committed, and an earlier attempt may have settled: never "not charged".
      throw new SettlementUnknown();
    }
    if (!claimed) return this.repeatOr(call, paymentAlreadyUsed(), { maySettle: true });
    this.crashPoints.pass('claimed');

    const answer = await this.settlePayment.execute(claim, call, true);
    return answer ?? this.repeatOr(call, new SettlementUnknown());
  }

  /**
   * Before a payment is refused, the ledger is asked: a late repeat of a paid call still gets its answer.
   * @param about onlyIdentical: a row of another request leaves the refusal as it is; maySettle: the settle circuit has
   * let this request through already
   */
  private async repeatOr(
    call: PaidCall,
    refusal: unknown,
    about: { onlyIdentical?: boolean; maySettle?: boolean } = {},
  ): Promise<Answer> {
    const { payer, nonce } = call.payment;
    let row: PaymentRow | null;
    try {
      row = await call.deadline.withinBudget(this.payments.byAuthorization(payer, nonce, this.terms.asset));
    } catch {
      throw new SettlementUnknown();
    }
    const isIdentical = row !== null && this.repeatCall.isIdentical(row, call);
    if (!row || (about.onlyIdentical && !isIdentical)) throw refusal;
    if (isIdentical) call.attempt.prove();
    return this.repeatCall.execute(row, call, about.maySettle);
  }

  private async claimOf(call: PaidCall, requirements: PaymentRequirements): Promise<Claim> {
    const { payment, endpoint } = call;
    const now = this.clock.now();
    return {
      id: uuidv7(now),
      chainId: this.terms.chain.chainId,
      asset: this.terms.asset.toLowerCase(),
      payer: payment.payer,
      nonce: payment.nonce,
      endpoint: endpoint.path,
      priceMicros: endpoint.priceMicros,
      fingerprint: call.fingerprint,
      payloadDigest: payment.digest,
      paymentIdentifier: payment.identifier,
      idempotencyKey: call.idempotencyKey,
      authorization: JSON.stringify(payment.authorization),
      signature: payment.signature,
      requirementsId: await call.deadline.within(this.requirements.idOf(requirements)),
      v2Grade: requirements.version === 2,
      requestId: call.requestId,
      costMicros: this.config.costMicros(endpoint.path),
      verifiedAt: now,
      createdAt: now,
      validBefore: new Date(Number(payment.authorization.validBefore) * 1_000),
    };
  }
}

/** Headers that are not worth an answer that comes too late. */
async function inTime(call: PaidCall, headers: Headers | Promise<Headers>): Promise<Headers> {
  try {
    return await call.deadline.within(headers);
  } catch {
    return {};
  }
}

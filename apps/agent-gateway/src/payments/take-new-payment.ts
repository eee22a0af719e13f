import { Clock, uuidv7 } from '@evenkeel/kernel';
import { traced } from '@evenkeel/platform/observability';
import type { LimitStatus } from '@evenkeel/platform/auth';
import { Injectable } from '@nestjs/common';
import { type Answer, DeadlineExceeded, withHeaders } from '../calls/call';
import { paymentAlreadyUsed } from '../calls/payment';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { CrashPoints } from '../config/crash-points';
import { PaymentTerms } from '../config/payment-terms';
import { Facilitator } from '../facilitator/facilitator';
import { OfferRequirements, type PaymentRequirements } from '../facilitator/payment-requirements';
import { TakeOver } from '../ledger/abandoned-payments';
import { ClaimPayments, type Claim } from '../ledger/claim-payments';
import { StoredRequirements } from '../ledger/stored-requirements';
import { uncharged, WalletLimit } from '../limits/caller-limits';
import type { PaidCall } from './pay';
import type { Slot } from './slots';
import { RepeatCall } from './repeat-call';
import { SettleCalls, SettlePayment } from './settle-payment';
import { paymentRejected, PaymentVerificationUnavailable, SettlementUnknown } from './settlement-outcome';

/** Asks the facilitator whether a payment is good. */
@Injectable()
export class VerifyPayment {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly offers: OfferRequirements,
    private readonly crashPoints: CrashPoints,
  ) {}

  /** @returns the requirements that it was verified with. @throws PaymentRefused, PaymentVerificationUnavailable */
  async execute(call: PaidCall, slot: Slot): Promise<PaymentRequirements> {
    const requirements = this.offers.of(call.endpoint, this.facilitator.requirementsVersion(), call.surface);
    const { authorization, signature } = call.payment;
    const request = { requirements, authorization: JSON.stringify(authorization), signature };
    const asked = traced('verify', () => this.facilitator.verify(request, call.attempt.caller));
    const verdict = await call.deadline.within(asked).catch((error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) throw error;
      slot.unfinished = asked;
      throw new PaymentVerificationUnavailable();
    });
    this.crashPoints.pass('verified');
    if (verdict.kind === 'valid') return requirements;
    throw verdict.kind === 'invalid' ? paymentRejected(verdict.reason) : new PaymentVerificationUnavailable();
  }
}

/** Writes the row that makes a payment ours to settle. */
@Injectable()
export class WriteClaim {
  constructor(
    private readonly claims: ClaimPayments,
    private readonly takeOver: TakeOver,
    private readonly requirements: StoredRequirements,
    private readonly terms: PaymentTerms,
    private readonly config: AgentGatewayConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns null when the authorization, or the payment identifier of this payer, was used before
   * @throws SettlementUnknown
   */
  async execute(call: PaidCall, requirements: PaymentRequirements): Promise<Claim | null> {
    try {
      const claim = await this.claimOf(call, requirements);
      const claiming = traced('claim', () => this.claims.claim(claim, call.deadline));
      const claimed = await call.deadline.within(claiming).catch((error: unknown) => {
        this.takeOver.afterRequest(claim, claiming);
        throw error;
      });
      return claimed ? claim : null;
    } catch {
      // The insert may be committed, and an earlier attempt may have settled: the answer must not say "not charged".
      throw new SettlementUnknown();
    }
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

/** A payment that the ledger does not know: verify, claim, settle. */
@Injectable()
export class TakeNewPayment {
  constructor(
    private readonly verifyPayment: VerifyPayment,
    private readonly walletLimit: WalletLimit,
    private readonly settleCalls: SettleCalls,
    private readonly claimPayment: WriteClaim,
    private readonly settlePayment: SettlePayment,
    private readonly repeatCall: RepeatCall,
  ) {}

  /** @throws PaymentRefused, PaymentVerificationUnavailable, SettlementUnknown, PaymentInProgress, RateLimited */
  async execute(call: PaidCall, slot: Slot): Promise<Answer> {
    const repeated = await this.repeatCall.ifKnown(call);
    if (repeated) return repeated;
    let requirements: PaymentRequirements;
    try {
      requirements = await this.verifyPayment.execute(call, slot);
    } catch (refusal) {
      return this.repeatCall.orRefuse(call, refusal);
    }
    slot.passVerify();

    const { payer } = call.payment;
    let limitStatus: LimitStatus;
    try {
      limitStatus = await this.walletLimit.take(payer);
    } catch (error) {
      return this.orRefuseVerified(call, uncharged(error));
    }
    call.result();
    if (!this.settleCalls.admits(payer)) return this.orRefuseVerified(call, new PaymentVerificationUnavailable());
    const claim = await this.claim(call, requirements);
    if (!claim) {
      // Facilitators exist that call a spent authorization valid: a stranger who has read it on the chain spends no hit of its payer.
      limitStatus.giveBack();
      return this.repeatCall.orRefuse(call, paymentAlreadyUsed(), { maySettle: true });
    }
    slot.prove();
    const answer = await this.settlePayment.execute(claim, call, true);
    if (!answer) return this.repeatCall.orRefuse(call, new SettlementUnknown());
    return withHeaders(answer, await call.deadline.withinOr(this.walletLimit.headers(payer, limitStatus), {}));
  }

  private async claim(call: PaidCall, requirements: PaymentRequirements): Promise<Claim | null> {
    try {
      const claim = await this.claimPayment.execute(call, requirements);
      if (claim) this.repeatCall.know(call);
      return claim;
    } catch (error) {
      call.attempt.prove();
      throw error;
    }
  }

  /** A payment that is good, but not taken now. One of another request proves nothing about its sender. */
  private async orRefuseVerified(call: PaidCall, refusal: unknown): Promise<Answer> {
    const answer = await this.repeatCall.ifRepeated(call);
    if (answer) return answer;
    call.attempt.prove();
    throw refusal;
  }
}

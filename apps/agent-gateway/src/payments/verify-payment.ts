import { Injectable } from '@nestjs/common';
import { DeadlineExceeded } from '../calls/deadline';
import { Facilitator, type Verdict } from '../facilitator/facilitator.port';
import { OfferWordings } from '../facilitator/offer-wordings';
import type { Wording } from '../facilitator/wording';
import type { PaidCall } from './paid-call';
import { paymentRejected } from './settlement-errors';
import { PaymentVerificationUnavailable } from './settlement-errors';

/** The wording a payment was verified in, or why it is not taken. */
export type Verified = { wording: Wording; refusal: null } | { refusal: Error };

/** Asks the facilitator whether a payment is good. */
@Injectable()
export class VerifyPayment {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly offers: OfferWordings,
  ) {}

  async execute(call: PaidCall): Promise<Verified> {
    const wording = this.offers.of(call.endpoint, this.facilitator.wordingVersion(), call.surface);
    const verdict = await this.verdict(call, wording, call.attempt.caller);
    if (verdict.kind !== 'valid') return { refusal: errorOf(verdict) };
    call.attempt.prove();
    return { wording, refusal: null };
  }

  private async verdict(call: PaidCall, wording: Wording, caller: string): Promise<Verdict> {
    const { authorization, signature } = call.payment;
    const request = { wording, authorization: JSON.stringify(authorization), signature };
    try {
      return await call.deadline.within(this.facilitator.verify(request, caller));
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      return { kind: 'unavailable', cause: 'the time of the request is up' };
    }
  }
}

function errorOf(verdict: Exclude<Verdict, { kind: 'valid' }>): Error {
  return verdict.kind === 'invalid' ? paymentRejected(verdict.reason) : new PaymentVerificationUnavailable();
}

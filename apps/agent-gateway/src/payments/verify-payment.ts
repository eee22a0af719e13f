import { Injectable } from '@nestjs/common';
import { DeadlineExceeded } from '../calls/deadline';
import { Facilitator, type Verdict } from '../facilitator/facilitator.port';
import { OfferWordings } from '../facilitator/offer-wordings';
import type { Wording } from '../facilitator/wording';
import { AddressLimits } from '../limits/address-limits';
import type { PaidCall } from './paid-call';
import { paymentRejected } from './payment-refused';
import { PaymentVerificationUnavailable } from './settlement-errors';

/** The wording a payment was verified in, or why it is not taken. */
export type Verified = { wording: Wording; refusal: null } | { refusal: Error };

/** Asks the facilitator whether a payment is good, as often as the limit of the address allows bad ones. */
@Injectable()
export class VerifyPayment {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly offers: OfferWordings,
    private readonly addresses: AddressLimits,
  ) {}

  /**
   * @param caller who sends it
   * @throws RateLimited before the facilitator is asked
   */
  async execute(call: PaidCall, caller: string): Promise<Verified> {
    await this.addresses.admitPayment(caller);
    const wording = this.offers.of(call.endpoint, this.facilitator.wordingVersion(), call.surface);
    const verdict = await this.verdict(call, wording, caller);
    if (verdict.kind === 'valid') return { wording, refusal: null };
    const overLimit = await this.addresses.countUnverified(caller);
    return { refusal: overLimit ?? errorOf(verdict) };
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

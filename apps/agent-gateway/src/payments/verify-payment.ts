import { Injectable } from '@nestjs/common';
import { DeadlineExceeded } from '../calls/deadline';
import { Facilitator, type Verdict } from '../facilitator/facilitator.port';
import { OfferRequirements, type PaymentRequirements } from '../facilitator/payment-requirements';
import type { PaidCall } from './paid-call';
import { paymentRejected, PaymentVerificationUnavailable } from './settlement-errors';

/** The requirements a payment was verified in, or why it is not taken, and what goes on although nobody waits for it any more. */
export type Verified =
  { requirements: PaymentRequirements; refusal: null } | { refusal: Error; unfinished: Promise<unknown> | null };

/** Asks the facilitator whether a payment is good. */
@Injectable()
export class VerifyPayment {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly offers: OfferRequirements,
  ) {}

  async execute(call: PaidCall): Promise<Verified> {
    const requirements = this.offers.of(call.endpoint, this.facilitator.requirementsVersion(), call.surface);
    const { authorization, signature } = call.payment;
    const request = { requirements, authorization: JSON.stringify(authorization), signature };
    const asked = this.facilitator.verify(request, call.attempt.caller);
    let verdict: Verdict;
    try {
      verdict = await call.deadline.within(asked);
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      return { refusal: new PaymentVerificationUnavailable(), unfinished: asked };
    }
    if (verdict.kind !== 'valid') return { refusal: errorOf(verdict), unfinished: null };
    call.attempt.prove();
    return { requirements, refusal: null };
  }
}

function errorOf(verdict: Exclude<Verdict, { kind: 'valid' }>): Error {
  return verdict.kind === 'invalid' ? paymentRejected(verdict.reason) : new PaymentVerificationUnavailable();
}

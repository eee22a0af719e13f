import { Injectable } from '@nestjs/common';
import type { Answer } from '../calls/answer';
import { Call, type CallFacts } from '../calls/call';
import { CreditRefused } from '../credits/credit-refused';
import { PayByCredit } from '../credits/pay-by-credit';
import type { UnprovedAttempt } from '../limits/unproved-attempt';
import { InFlightCalls } from './in-flight-calls';
import { PaidCall } from './paid-call';
import { PayForCall } from './pay-for-call';
import type { Payment } from '../calls/payment';
import { invalidPaymentPayload } from '../calls/payment-refused';

/** What came along to pay for a call. */
export interface Tender {
  /** Token of a credit. */
  credit: string | null;
  /** Reads the payment, once the credit did not do. Null when none came. @throws PaymentRefused */
  payment: (() => Payment) | null;
}

/** A valid call and what came to pay for it: over HTTP and over MCP the same. */
@Injectable()
export class AnswerCall {
  constructor(
    private readonly payByCredit: PayByCredit,
    private readonly inFlight: InFlightCalls,
    private readonly payForCall: PayForCall,
  ) {}

  /**
   * The credit pays when there is one and it is good, else the payment (spec-decisions 2.4, from step 4).
   * @param attempt how it counts against the address that sends it
   * @param onCreditRefused when the payment is tried in place of the credit: what the answer says of the credit
   * @throws PaymentRefused (402), RateLimited (429), PaymentInProgress (429), PaymentVerificationUnavailable (502),
   * SettlementUnknown (502), RedemptionUnknown (502)
   */
  async execute(
    facts: CallFacts,
    { credit, payment }: Tender,
    attempt: UnprovedAttempt,
    onCreditRefused: (headers: Record<string, string>) => void,
  ): Promise<Answer> {
    if (credit !== null) {
      try {
        return await this.payByCredit.execute(new Call(facts), credit, { attempt, hasPayment: payment !== null });
      } catch (error) {
        if (!(error instanceof CreditRefused) || error.isFinal || payment === null) throw error;
        onCreditRefused(error.headers);
      }
    }
    if (payment === null) throw invalidPaymentPayload('nothing came to pay with');
    const call = new PaidCall(facts, payment(), attempt);
    return this.inFlight.once(call, () => this.payForCall.execute(call));
  }
}

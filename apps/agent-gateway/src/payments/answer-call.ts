import { Injectable } from '@nestjs/common';
import { type Answer, asReplay, Call, type CallFacts, withoutToken } from '../calls/call';
import { DeadlineExceeded } from '../calls/deadline';
import type { Payment } from '../calls/payment';
import { invalidPaymentPayload } from '../calls/payment-refused';
import { CreditRefused } from '../credits/credit-refused';
import { PayByCredit } from '../credits/pay-by-credit';
import type { UnprovedAttempt } from '../limits/caller-limits';
import { PaidCall, ReplayPolicy } from './paid-call';
import { PayForCall } from './pay-for-call';
import { Running } from './settle-payment';
import { PaymentInProgress } from './settlement-errors';

/** The credit and the payment that a request has brought for its call. */
export interface PaymentInstrument {
  /** Token of a credit. */
  credit: string | null;
  /** Reads the payment; called only when no credit pays. Null when the request has none. @throws PaymentRefused */
  payment: (() => Payment) | null;
}

interface FirstCall {
  call: PaidCall;
  answer: Promise<Answer>;
}

/** Paid calls in progress in this process: copies of a call wait for the answer of the first one. */
@Injectable()
export class InFlightCalls {
  private readonly shared = new Running<FirstCall>();

  constructor(private readonly replayPolicy: ReplayPolicy) {}

  /**
   * Does the work once for all copies that arrive while it runs.
   * @throws PaymentInProgress when the first copy does not answer in this one's time
   */
  async once(call: PaidCall, work: () => Promise<Answer>): Promise<Answer> {
    const key = this.replayPolicy.joinKey(call);
    const first = key === null ? undefined : this.shared.get(key);
    if (first) return this.copyOf(first, call);
    const answer = work();
    if (key === null) return answer;
    this.shared.add(key, { call, answer });
    try {
      return await answer;
    } finally {
      this.shared.remove(key);
    }
  }

  private async copyOf(first: FirstCall, call: PaidCall): Promise<Answer> {
    const { identifier: paymentIdentifier } = first.call.payment;
    const { idempotencyKey } = first.call;
    try {
      const answer = asReplay(await call.deadline.within(first.answer));
      return this.replayPolicy.showsKey({ paymentIdentifier, idempotencyKey }, call) ? answer : withoutToken(answer);
    } catch (error) {
      throw error instanceof DeadlineExceeded ? new PaymentInProgress('payment_in_progress') : error;
    } finally {
      // The copies have one payment: what proves it for the first call proves it for all.
      if (first.call.attempt.isProved) call.attempt.prove();
    }
  }
}

/** Answers a valid call for the payment or the credit that it came with: over HTTP and over MCP the same. */
@Injectable()
export class AnswerCall {
  constructor(
    private readonly payByCredit: PayByCredit,
    private readonly inFlight: InFlightCalls,
    private readonly payForCall: PayForCall,
  ) {}

  /**
   * A good credit pays for the call; without one the payment does (D-16).
   * @param attempt how the call counts against the address that sends it
   * @param onCreditRefused called when the payment is tried in place of the credit, with the headers about the credit
   * @throws PaymentRefused (402), RateLimited (429), PaymentInProgress (429), PaymentVerificationUnavailable (502),
   * SettlementUnknown (502), RedemptionUnknown (502)
   */
  async execute(
    facts: CallFacts,
    { credit, payment }: PaymentInstrument,
    attempt: UnprovedAttempt,
    onCreditRefused: (headers: Record<string, string>) => void,
  ): Promise<Answer> {
    if (credit !== null) {
      try {
        return await this.payByCredit.execute(new Call(facts), credit, { attempt, hasPayment: payment !== null });
      } catch (error) {
        if (!(error instanceof CreditRefused) || payment === null) throw error;
        onCreditRefused(error.headers);
      }
    }
    if (payment === null) throw invalidPaymentPayload('nothing came to pay with');
    const call = new PaidCall(facts, payment(), attempt);
    return this.inFlight.once(call, () => this.payForCall.execute(call));
  }
}

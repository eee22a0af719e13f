import { Injectable } from '@nestjs/common';
import { ReplayPolicy } from './replay-policy';
import { Running } from './running';
import { PaymentInProgress } from './settlement-errors';
import { asReplay, type Answer } from '../calls/answer';
import { withoutToken } from '../calls/rebate-earned';
import { DeadlineExceeded } from '../calls/deadline';
import type { PaidCall } from './paid-call';

interface FirstCall {
  call: PaidCall;
  answer: Promise<Answer>;
}

/** Paid calls at work in this process: copies of one call wait for the first one's answer. */
@Injectable()
export class InFlightCalls {
  private readonly shared = new Running<FirstCall>();

  constructor(private readonly replayPolicy: ReplayPolicy) {}

  /**
   * Does the work, once for all copies that are here at the same time.
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
      // What proves one of them good proves all.
      if (first.call.attempt.isProved) call.attempt.prove();
    }
  }
}

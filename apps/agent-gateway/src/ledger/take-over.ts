import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { PaymentRow } from './payment.entity';
import { RecordDoubt } from './record-doubt';

/** Longer than a settle call can take: whoever was settling is gone. */
export const ABANDONED_AFTER_MS = 15_000;

/** A `settling` row whose process died becomes `settlement_pending`, by the worker or by a repeat, whichever comes first. */
@Injectable()
export class TakeOver {
  constructor(
    private readonly doubts: RecordDoubt,
    private readonly clock: Clock,
  ) {}

  /** @returns whether the row is no longer held by a living process */
  async ifAbandoned(payment: PaymentRow): Promise<boolean> {
    if (this.clock.now().getTime() - payment.createdAt.getTime() < ABANDONED_AFTER_MS) return false;
    await this.doubts.record({
      paymentId: payment.id,
      event: 'unknown',
      reason: null,
      transactionHash: null,
      settleAgain: false,
      answer: null,
    });
    return true;
  }
}

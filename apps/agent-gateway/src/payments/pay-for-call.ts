import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import type { Answer } from '../calls/answer';
import { PaymentRefused } from '../calls/payment-refused';
import { PaymentTerms } from '../config/payment-terms';
import { WalletLimit } from '../limits/caller-limits';
import { checkScheme, checkTerms, checkTime } from './check-terms';
import type { PaidCall } from './paid-call';
import { Places } from './places';
import { RepeatCall } from './repeat-call';
import { TakeNewPayment } from './take-new-payment';

/**
 * A call with a payment. The payment is taken as a new one unless a check fails; before it is refused, the
 * ledger is asked whether it was taken before (docs/protocol.md).
 */
@Injectable()
export class PayForCall {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
    private readonly places: Places,
    private readonly takeNewPayment: TakeNewPayment,
    private readonly repeatCall: RepeatCall,
    private readonly walletLimit: WalletLimit,
  ) {}

  /**
   * @throws PaymentRefused (402), PaymentVerificationUnavailable (502), SettlementUnknown (502), PaymentInProgress (429),
   * RateLimited (429)
   */
  async execute(call: PaidCall): Promise<Answer> {
    try {
      return await this.pay(call);
    } catch (error) {
      if (error instanceof PaymentRefused) {
        // The 402 has a fresh offer; these headers say how often its payer may take it.
        const policy = this.walletLimit.policyOf(call.payment.payer);
        Object.assign(error.headers, await call.deadline.withinOr(policy, {}));
      }
      throw error;
    }
  }

  /** Checks that need nothing but the payment come first: a payment that fails them takes no place. */
  private async pay(call: PaidCall): Promise<Answer> {
    const unknownScheme = checkScheme(call.payment, this.terms);
    if (unknownScheme) throw unknownScheme;
    const otherTerms = checkTerms(call.payment, call.endpoint, this.terms);
    if (otherTerms) return this.repeatCall.orRefuse(call, otherTerms, { onlyIdentical: true });
    const notInTime = checkTime(call.payment, this.terms, this.clock.now());
    if (notInTime) return this.repeatCall.orRefuse(call, notInTime);

    const place = this.places.take(call.attempt.caller);
    try {
      return await this.takeNewPayment.execute(call, place);
    } finally {
      place.leave();
    }
  }
}

import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { PaymentTerms } from '../config/payment-terms';
import type { PaymentRow } from '../ledger/ledger.entities';
import { awaitedUntil, PaymentChecks, type DueCheck } from '../ledger/payment-checks';
import { RecordUncertain } from '../ledger/record-uncertain';
import { ResolveByChain } from './resolve-by-chain';
import { ResolveByFacilitator } from './resolve-by-facilitator';

const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/**
 * Resolves one uncertain payment, or leaves it for the next check (docs/protocol.md): by what the chain shows, before its
 * expiry by what the facilitator says, and long after it by handing it to a person. Never signs, never pays.
 */
@Injectable()
export class ResolveUncertain {
  private readonly logger = new Logger('recovery');

  constructor(
    private readonly clock: Clock,
    private readonly terms: PaymentTerms,
    private readonly checks: PaymentChecks,
    private readonly byChain: ResolveByChain,
    private readonly byFacilitator: ResolveByFacilitator,
    private readonly uncertain: RecordUncertain,
  ) {}

  /** @param isLate whether the round is to end: then the chain is searched no further */
  async execute(check: DueCheck, isLate: () => boolean = () => false): Promise<void> {
    const { payment } = check;
    // A settlement that waited while an uncertain outcome was written does not see the check that this left.
    if (payment.state === 'settled') return this.checks.remove(payment.id);
    if (await this.byChain.execute(check, isLate)) return;
    if (payment.state !== 'settlement_pending') return;
    const awaited = awaitedUntil(payment, this.terms.maxTimeoutSeconds);
    const sinceExpiryMs = this.clock.now().getTime() - awaited.getTime();
    if (sinceExpiryMs < 0) {
      const reason = await this.byFacilitator.execute(check);
      if (reason) await this.contest(payment, reason);
    } else if (sinceExpiryMs > GIVE_UP_AFTER_MS) {
      await this.contest(payment, null);
    }
  }

  private async contest(payment: PaymentRow, reason: string | null): Promise<void> {
    this.logger.error({
      message: 'a payment needs a person: its nonce is used, or nothing became known of it, and no transfer was found',
      paymentId: payment.id,
    });
    await this.uncertain.record({
      paymentId: payment.id,
      event: 'contested',
      reason,
      transactionHash: null,
      settleAgain: false,
      answer: null,
    });
  }
}

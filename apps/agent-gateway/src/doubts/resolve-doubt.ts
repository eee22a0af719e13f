import { Clock } from '@evenkeel/kernel';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { Deadline } from '../calls/deadline';
import { Chain, type ChainEvidence } from '../chain/chain.port';
import { Facilitator } from '../facilitator/facilitator.port';
import { FacilitatorWordings } from '../ledger/facilitator-wordings';
import type { PaymentRow } from '../ledger/payment.entity';
import { PaymentChecks, type DueCheck } from '../ledger/payment-checks';
import { RecordDoubt } from '../ledger/record-doubt';
import { EXPIRED_FOR_GOOD_MS, RecordFailure } from '../ledger/record-failure';
import { RecordSettlements } from '../ledger/record-settlements';
import { SettleCalls } from '../payments/settle-calls';
import { RecordOutcome } from '../payments/record-outcome';

const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/** Ends the doubt about one payment, or leaves it for the next check (payments.md section 7, worker). Never signs, never pays. */
@Injectable()
export class ResolveDoubt {
  private readonly logger = new Logger('doubts');

  constructor(
    private readonly clock: Clock,
    private readonly checks: PaymentChecks,
    private readonly facilitator: Facilitator,
    private readonly wordings: FacilitatorWordings,
    private readonly settleCalls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    private readonly settlements: RecordSettlements,
    private readonly doubts: RecordDoubt,
    private readonly failures: RecordFailure,
    @Optional() private readonly chain: Chain | null,
  ) {}

  async execute(check: DueCheck): Promise<void> {
    const { payment } = check;
    const evidence = this.chain ? await this.read(this.chain, payment) : null;
    if (evidence?.kind === 'transferred') return this.settle(payment, evidence.transactionHash);
    if (payment.state === 'settlement_failed') return this.endLastLook(payment, evidence);
    if (evidence && isProofOfNothing(evidence, payment)) {
      await this.failures.record(
        payment.id,
        'void',
        evidence.kind === 'void' ? evidence.reason : 'authorization_expired',
      );
      return;
    }
    if (payment.state !== 'settlement_pending') return;
    const sinceExpiryMs = this.clock.now().getTime() - payment.validBefore.getTime();
    if (sinceExpiryMs < 0) return this.askFacilitator(check);
    if (sinceExpiryMs > GIVE_UP_AFTER_MS) await this.contest(payment, null);
  }

  private read(chain: Chain, { payer, nonce, asset, priceMicros, createdAt }: PaymentRow): Promise<ChainEvidence> {
    return chain.evidence({ payer, nonce, asset, priceMicros, claimedAt: createdAt });
  }

  private async settle(payment: PaymentRow, transactionHash: string): Promise<void> {
    await this.settlements.record({ payment, transactionHash, settledAt: this.clock.now(), answer: null });
  }

  private async endLastLook(payment: PaymentRow, evidence: ChainEvidence | null): Promise<void> {
    if (evidence?.kind !== 'unexplained') await this.checks.remove(payment.id);
  }

  /** What was served is settled again with the same bytes; what was not is only asked about: its buyer may be gone. */
  private async askFacilitator({ payment, settleAgain }: DueCheck): Promise<void> {
    if (payment.served || settleAgain) {
      if (!this.settleCalls.isRunning(payment.id) && !this.settleCalls.admits()) return;
      const { outcome, first } = await this.settleCalls.outcome(payment, false, new Deadline(15_000));
      await this.outcomes.record(payment, outcome, first, null);
      return;
    }
    if (this.chain || !payment.v2Grade) return;
    const { authorization, signature } = payment;
    const wording = await this.wordings.byId(payment.wordingId);
    const verdict = await this.facilitator.verify({ wording, authorization, signature });
    if (verdict.kind === 'invalid' && verdict.reason?.endsWith('nonce_already_used')) {
      await this.contest(payment, verdict.reason);
    }
  }

  private async contest(payment: PaymentRow, reason: string | null): Promise<void> {
    this.logger.error({
      message: 'a payment needs a person: its nonce is used, or nothing became known of it, and no transfer was found',
      paymentId: payment.id,
    });
    await this.doubts.record({
      paymentId: payment.id,
      event: 'contested',
      reason,
      transactionHash: null,
      settleAgain: false,
      answer: null,
    });
  }
}

/** Cancelled, spent elsewhere, or unused at a block so late that no transaction can include it any more. */
function isProofOfNothing(evidence: ChainEvidence, { validBefore }: PaymentRow): boolean {
  if (evidence.kind === 'void') return true;
  return evidence.kind === 'unused' && evidence.asOf.getTime() >= validBefore.getTime() + EXPIRED_FOR_GOOD_MS;
}

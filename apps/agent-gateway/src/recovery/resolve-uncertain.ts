import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Deadline } from '../calls/deadline';
import { BLOCKS_PER_LOOK, Chain, type ChainEvidence } from './chain.port';
import { PaymentTerms } from '../config/payment-terms';
import { Facilitator } from '../facilitator/facilitator.port';
import { awaitedUntil, EXPIRED_FOR_GOOD_MS } from '../ledger/awaited-until';
import { StoredRequirements } from '../ledger/stored-requirements';
import type { PaymentRow } from '../ledger/payment.entity';
import { PaymentChecks, type DueCheck } from '../ledger/payment-checks';
import { RecordUncertain } from '../ledger/record-uncertain';
import { RecordFailure } from '../ledger/record-failure';
import { RecordSettlements } from '../ledger/record-settlements';
import type { Authorization } from '../calls/payment';
import { RecordOutcome } from '../payments/record-outcome';
import { SettleCalls } from '../payments/settle-calls';

const GIVE_UP_AFTER_MS = 24 * 3_600_000;
/** Longer than a settle call can take. */
const SETTLE_WITHIN_MS = 15_000;

/** Ends the doubt about one payment, or leaves it for the next check (payments.md section 7, worker). Never signs, never pays. */
@Injectable()
export class ResolveUncertain {
  private readonly logger = new Logger('doubts');

  constructor(
    private readonly clock: Clock,
    private readonly terms: PaymentTerms,
    private readonly checks: PaymentChecks,
    private readonly facilitator: Facilitator,
    private readonly requirements: StoredRequirements,
    private readonly settleCalls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    private readonly settlements: RecordSettlements,
    private readonly doubts: RecordUncertain,
    private readonly failures: RecordFailure,
    // By name: of `Chain | null` the compiler keeps no type that could be injected.
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /** @param isLate whether the round is to end: then the chain is searched no further */
  async execute(check: DueCheck, isLate: () => boolean = () => false): Promise<void> {
    const { payment } = check;
    // A settlement that waited for a doubt being written does not see the check that the doubt left.
    if (payment.state === 'settled') return this.checks.remove(payment.id);
    const evidence = await this.evidence(check, isLate);
    if (evidence?.kind === 'unexplained') await this.checks.rememberSearch(payment.id, evidence.searched.to);
    if (evidence?.kind === 'transferred') return this.settle(payment, evidence.transactionHash);
    if (payment.state === 'settlement_failed') return this.lastLook(payment, evidence);
    const reason = evidence && proofOfNothing(evidence, payment.validBefore);
    if (reason) return void (await this.failures.record(payment.id, 'void', reason));
    if (payment.state !== 'settlement_pending') return;
    const sinceExpiryMs = this.clock.now().getTime() - this.awaitedUntil(payment).getTime();
    if (sinceExpiryMs < 0) return this.askFacilitator(check);
    if (sinceExpiryMs > GIVE_UP_AFTER_MS) await this.contest(payment, null);
  }

  /** What was refused is over when nothing came of it while we would have waited for any other payment. */
  private async lastLook(payment: PaymentRow, evidence: ChainEvidence | null): Promise<void> {
    if (!evidence) return;
    const nothingCame = evidence.kind === 'unexplained' && evidence.searched.all;
    if (nothingCame || proofOfNothing(evidence, this.awaitedUntil(payment))) await this.checks.remove(payment.id);
  }

  private awaitedUntil(payment: PaymentRow): Date {
    return awaitedUntil(payment, this.terms.maxTimeoutSeconds);
  }

  /** Null without chain access, and while the chain cannot be read: the facilitator is asked all the same. */
  private async evidence({ payment, searchedTo }: DueCheck, isLate: () => boolean): Promise<ChainEvidence | null> {
    if (!this.chain) return null;
    const { id, payer, nonce, asset, priceMicros, createdAt: claimedAt } = payment;
    const { to: payTo } = JSON.parse(payment.authorization) as Authorization;
    try {
      const limits = { searchedTo, maxBlocks: BLOCKS_PER_LOOK, isLate };
      const authorization = { payer, nonce, asset, payTo, priceMicros, claimedAt };
      return await this.chain.evidence(authorization, limits);
    } catch (error) {
      this.logger.warn({ message: 'the chain cannot be read', paymentId: id, error });
      return null;
    }
  }

  private async settle(payment: PaymentRow, transactionHash: string): Promise<void> {
    await this.settlements.record({ payment, transactionHash, settledAt: this.clock.now(), answer: null });
  }

  /** What was served is settled again with the same bytes; what was not is only asked about: its buyer may be gone. */
  private async askFacilitator({ payment, settleAgain }: DueCheck): Promise<void> {
    if (payment.served || settleAgain) return this.settleAgain(payment);
    if (this.chain || !payment.v2Grade) return;
    const { authorization, signature } = payment;
    const requirements = await this.requirements.byId(payment.requirementsId);
    const verdict = await this.facilitator.verify({ requirements, authorization, signature }, null);
    if (verdict.kind === 'invalid' && verdict.reason?.endsWith('nonce_already_used')) {
      await this.contest(payment, verdict.reason);
    }
  }

  private async settleAgain(payment: PaymentRow): Promise<void> {
    if (!this.settleCalls.isRunning(payment.id) && !this.settleCalls.admits(payment.payer)) return;
    const { outcome, first } = await this.settleCalls.outcome(payment, false, new Deadline(SETTLE_WITHIN_MS));
    this.outcomes.recordInBackground(payment, outcome, first);
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

/**
 * Why it can never pay us: cancelled, spent elsewhere, or unused at a block so late that no transaction can include it any
 * more. Null while it still can.
 */
function proofOfNothing(evidence: ChainEvidence, until: Date): string | null {
  if (evidence.kind === 'void') return evidence.reason;
  if (evidence.kind !== 'unused') return null;
  return evidence.asOf.getTime() >= until.getTime() + EXPIRED_FOR_GOOD_MS ? 'authorization_expired' : null;
}

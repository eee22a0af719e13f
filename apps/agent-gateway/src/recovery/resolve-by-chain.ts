import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Authorization } from '../calls/payment';
import { PaymentTerms } from '../config/payment-terms';
import type { PaymentRow } from '../ledger/ledger.entities';
import { awaitedUntil, EXPIRED_FOR_GOOD_MS, PaymentChecks, type DueCheck } from '../ledger/payment-checks';
import { RecordFailure } from '../ledger/record-failure';
import { RecordSettlements, TransferTaken } from '../ledger/record-settlements';
import { BLOCKS_PER_LOOK, Chain, type ChainEvidence } from './chain.port';
import type { Transfer } from './transfer-log.port';

/** What the chain shows of an uncertain payment: the money came, or it can never come any more. */
@Injectable()
export class ResolveByChain {
  private readonly logger = new Logger('recovery');

  constructor(
    // By name: for `Chain | null` the compiler emits no type that could be injected.
    @Inject(Chain) private readonly chain: Chain | null,
    private readonly checks: PaymentChecks,
    private readonly settlements: RecordSettlements,
    private readonly failures: RecordFailure,
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
  ) {}

  /**
   * @param isLate whether the round is to end: then the chain is searched no further
   * @returns whether nothing is left to ask about this payment in this round
   */
  async execute(check: DueCheck, isLate: () => boolean): Promise<boolean> {
    const { payment } = check;
    const evidence = await this.evidence(check, isLate);
    if (!evidence) return false;
    if (evidence.kind === 'unexplained' && evidence.searched.to !== null) {
      await this.checks.rememberSearch(payment.id, evidence.searched.to);
    }
    if (evidence.kind === 'transferred') {
      await this.settle(payment, evidence.transfer);
      return true;
    }
    if (payment.state === 'settlement_failed') {
      await this.lastLook(payment, evidence);
      return true;
    }
    const reason = proofOfNothing(evidence, payment.validBefore);
    if (!reason) return false;
    await this.failures.record(payment.id, 'void', reason);
    return true;
  }

  private async settle(payment: PaymentRow, { transactionHash, logIndex }: Transfer): Promise<void> {
    try {
      const settledAt = this.clock.now();
      await this.settlements.record({ payment, transactionHash, logIndex, settledAt, answer: null });
    } catch (error) {
      if (!(error instanceof TransferTaken)) throw error;
      this.logger.error({
        message: 'a payment needs a person: its transfer pays another',
        paymentId: payment.id,
        error,
      });
    }
  }

  /** A refused payment needs no further check when nothing came of it in the time that we wait for any payment. */
  private async lastLook(payment: PaymentRow, evidence: ChainEvidence): Promise<void> {
    const nothingCame = evidence.kind === 'unexplained' && evidence.searched.all;
    const awaited = awaitedUntil(payment, this.terms.maxTimeoutSeconds);
    if (nothingCame || proofOfNothing(evidence, awaited)) await this.checks.remove(payment.id);
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

import { Inject, Injectable, Logger } from '@nestjs/common';
import { Clock } from '@evenkeel/kernel';
import { Deadline } from '../calls/call';
import { Facilitator } from '../facilitator/facilitator';
import type { PaymentRow } from '../ledger/ledger.entities';
import { type DueCheck, expiredForGoodAt, PaymentChecks } from '../ledger/payment-checks';
import { StoredRequirements } from '../ledger/stored-requirements';
import { RecordOutcome } from '../payments/settlement-outcome';
import { SettleCalls } from '../payments/settle-payment';
import { RecordFailure, RecordUncertain } from '../ledger/unsettled-outcomes';
import { RecordSettlements, TransferTaken } from '../ledger/record-settlements';
import { Chain } from './chain';
import { BLOCKS_PER_LOOK, type ChainEvidence, type Transfer } from './chain-evidence';

/** Longer than a settle call can take. */
const SETTLE_WITHIN_MS = 15_000;

/**
 * Resolves an uncertain payment that has not expired by the facilitator. One that was served is settled again with the
 * same bytes; of one that was not the facilitator is only asked, because its buyer may be gone.
 */
@Injectable()
export class ResolveByFacilitator {
  constructor(
    private readonly facilitator: Facilitator,
    private readonly requirements: StoredRequirements,
    private readonly settleCalls: SettleCalls,
    private readonly outcomes: RecordOutcome,
    // By name: for `Chain | null` the compiler emits no type that could be injected.
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /** @returns the reason of the facilitator when the nonce is used, which a person must look into; else null */
  async execute({ payment, settleAgain }: DueCheck): Promise<string | null> {
    if (payment.served || settleAgain) {
      await this.settleAgain(payment);
      return null;
    }
    if (this.chain || !payment.v2Grade) return null;
    const { authorization, signature } = payment;
    const requirements = await this.requirements.byId(payment.requirementsId);
    const verdict = await this.facilitator.verify({ requirements, authorization, signature }, null);
    const reason = verdict.kind === 'invalid' ? verdict.reason : null;
    return reason?.endsWith('nonce_already_used') ? reason : null;
  }

  private async settleAgain(payment: PaymentRow): Promise<void> {
    if (!this.settleCalls.isRunning(payment.id) && !this.settleCalls.admits(payment.payer)) return;
    const { outcome, first } = await this.settleCalls.outcome(payment, false, new Deadline(SETTLE_WITHIN_MS));
    this.outcomes.recordInBackground(payment, outcome, first);
  }
}

/** Resolves an uncertain payment by the chain: the money came, or it can never come any more. */
@Injectable()
export class ResolveByChain {
  private readonly logger = new Logger('recovery');

  constructor(
    // By name: for `Chain | null` the compiler emits no type that could be injected.
    @Inject(Chain) private readonly chain: Chain | null,
    private readonly checks: PaymentChecks,
    private readonly settlements: RecordSettlements,
    private readonly failures: RecordFailure,
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
    const reason = proofOfNothing(evidence, payment);
    if (payment.state === 'settlement_failed') {
      // A refused payment needs no further check when nothing came of it in the time that we wait for any payment.
      const nothingCame = evidence.kind === 'unexplained' && evidence.searched.all;
      if (nothingCame || reason) await this.checks.remove(payment.id);
      return true;
    }
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
      const message = 'a payment needs a person: its transfer pays another';
      this.logger.error({ message, paymentId: payment.id, error });
    }
  }

  /** Null without chain access, and while the chain cannot be read: the facilitator is asked all the same. */
  private async evidence({ payment, searchedTo }: DueCheck, isLate: () => boolean): Promise<ChainEvidence | null> {
    if (!this.chain) return null;
    try {
      return await this.chain.evidence(payment, { searchedTo, maxBlocks: BLOCKS_PER_LOOK, isLate });
    } catch (error) {
      this.logger.warn({ message: 'the chain cannot be read', paymentId: payment.id, error });
      return null;
    }
  }
}

/**
 * Why it can never pay us: cancelled, spent elsewhere, or unused at a block so late that no transaction can include it any
 * more. Null while it still can.
 */
function proofOfNothing(evidence: ChainEvidence, payment: PaymentRow): string | null {
  if (evidence.kind === 'void') return evidence.reason;
  return evidence.kind === 'unused' && evidence.asOf >= expiredForGoodAt(payment) ? 'authorization_expired' : null;
}

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
    const sinceExpiryMs = this.clock.now().getTime() - payment.validBefore.getTime();
    if (sinceExpiryMs < 0) {
      const reason = await this.byFacilitator.execute(check);
      if (reason) await this.contest(payment, reason);
    } else if (sinceExpiryMs > GIVE_UP_AFTER_MS) {
      await this.contest(payment, null);
    }
  }

  private async contest(payment: PaymentRow, reason: string | null): Promise<void> {
    const message = 'a payment needs a person: its nonce is used, or nothing became known of it; no transfer was found';
    this.logger.error({ message, paymentId: payment.id });
    await this.uncertain.record({ paymentId: payment.id, event: 'contested', reason });
  }
}

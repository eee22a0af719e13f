import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { PaymentTerms } from '../../config/payment-terms';
import { awaitedUntil, EXPIRED_FOR_GOOD_MS } from '../../ledger/payment-checks';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { RecordFailure } from '../../ledger/record-failure';
import { Chain, type ChainEvidence } from '../../recovery/chain.port';
import { closeCommand, ledgerPayment, type LedgerPayment } from '../reconciliation/ledger-pages';
import { CloseRefused, FORCE, readChain } from './close-refused';

/** Closes a payment that nothing paid and nothing will. `--force` replaces missing evidence, and overrules none. */
@Injectable()
export class CloseAsFailed {
  constructor(
    private readonly clock: Clock,
    private readonly terms: PaymentTerms,
    private readonly failures: RecordFailure,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /**
   * @returns what records the failure
   * @throws CloseRefused while the authorization may still pay us, or when it did
   */
  async check(row: PaymentRow, forced: boolean): Promise<() => Promise<unknown>> {
    const reason = await this.reason(ledgerPayment(row), forced);
    return () => this.failures.record(row.id, 'void', reason);
  }

  /** As stored in the ledger. */
  private async reason(payment: LedgerPayment, forced: boolean): Promise<string> {
    const evidence = this.chain && (await readChain(() => this.evidence(payment, this.chain!), forced));
    if (evidence?.kind === 'transferred') {
      throw new CloseRefused(
        `The money came. Close it so: ${closeCommand(payment, evidence.transfer.transactionHash)}`,
      );
    }
    if (evidence?.kind === 'void') return evidence.reason;
    const until = awaitedUntil(payment, this.terms.maxTimeoutSeconds);
    const closableAt = new Date(until.getTime() + EXPIRED_FOR_GOOD_MS);
    const asOf = evidence?.kind === 'unused' ? evidence.asOf : this.clock.now();
    if (asOf < closableAt) {
      throw new CloseRefused(`It may still be settled. It can be closed as failed from ${closableAt.toISOString()}.`);
    }
    if (evidence?.kind === 'unexplained' && !forced) {
      throw new CloseRefused(
        `Its nonce is used and the transaction was not found, so the money may have come. ${FORCE}`,
      );
    }
    // Valid for centuries: nothing but the chain, or a person who has looked, can say that it was not used.
    const hasExpired = until.getTime() === payment.validBefore.getTime();
    if (!hasExpired && !evidence && !forced) {
      throw new CloseRefused(
        `Its authorization has not expired, and the chain cannot tell whether it was used. ${FORCE}`,
      );
    }
    return evidence?.kind === 'unused' && hasExpired ? 'authorization_expired' : 'closed_by_operator';
  }

  private evidence(payment: LedgerPayment, chain: Chain): Promise<ChainEvidence> {
    const { payer, nonce, asset, payTo, amountMicros: priceMicros, createdAt: claimedAt } = payment;
    return chain.evidence({ payer, nonce, asset, payTo, priceMicros, claimedAt });
  }
}

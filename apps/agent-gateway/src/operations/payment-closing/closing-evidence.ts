import { PaymentSettled } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Chain, type ChainEvidence } from '../../recovery/chain.port';
import { PaymentTerms } from '../../config/payment-terms';
import { TransferLog, type TokenTransaction } from '../../recovery/transfer-log.port';
import { awaitedUntil, EXPIRED_FOR_GOOD_MS } from '../../ledger/payment-checks';
import { closeCommand, type LedgerPayment } from '../reconciliation/ledger-payment';
import { paysFor } from '../reconciliation/transfer-finder';
import { CloseRefused } from './close-refused';

/** Whether what an operator says of a payment can be true. `--force` replaces missing evidence, and overrules none. */
@Injectable()
export class ClosingEvidence {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly terms: PaymentTerms,
    @Inject(TransferLog) private readonly log: TransferLog | null,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /** @throws CloseRefused unless this transaction moved the price to us by this authorization, as far as can be known */
  async checkSettled(payment: LedgerPayment, hash: string, forced: boolean): Promise<void> {
    if (!this.log) return this.checkUnclaimed(payment, hash, forced);
    const transaction = await this.read(() => this.log!.transaction(hash, payment.asset), forced);
    if (transaction && !paysFor(transaction, payment)) {
      throw new CloseRefused(`The transaction ${hash} did not pay this: it is in a block and has no such transfer.`);
    }
    if (transaction && (await this.isConfirmed(transaction, forced))) return;
    if (forced) return;
    throw new CloseRefused(
      transaction
        ? `The transaction ${hash} is not confirmed yet. Try again in a few seconds.`
        : `The chain does not know the transaction ${hash}. ${FORCE}`,
    );
  }

  /**
   * @returns the reason that the ledger keeps
   * @throws CloseRefused while the authorization may still pay us, or when it did
   */
  async checkFailed(payment: LedgerPayment, forced: boolean): Promise<string> {
    const evidence = this.chain && (await this.read(() => this.evidence(payment, this.chain!), forced));
    if (evidence?.kind === 'transferred') {
      throw new CloseRefused(`The money came. Close it so: ${closeCommand(payment, evidence.transactionHash)}`);
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

  /** Without the chain: one transaction is not the evidence of two payments of a wallet. */
  private async checkUnclaimed({ id, payer }: LedgerPayment, hash: string, forced: boolean): Promise<void> {
    const others = await this.dataSource.query<unknown[]>(
      `SELECT FROM outbox WHERE aggregate = $1 AND type = $2 AND payload->>'transactionHash' = $3 AND subject <> $4`,
      [payer, PaymentSettled.type, hash, id],
    );
    if (others.length > 0 && !forced) {
      throw new CloseRefused(`Another payment of this wallet was settled by ${hash}. ${FORCE}`);
    }
  }

  private async isConfirmed({ block }: TokenTransaction, forced: boolean): Promise<boolean> {
    const head = await this.read(() => this.log!.head(), forced);
    return head !== null && block <= head.number;
  }

  private evidence(payment: LedgerPayment, chain: Chain): Promise<ChainEvidence> {
    const { payer, nonce, asset, payTo, amountMicros: priceMicros, createdAt: claimedAt } = payment;
    return chain.evidence({ payer, nonce, asset, payTo, priceMicros, claimedAt });
  }

  private async read<Result>(ask: () => Promise<Result>, forced: boolean): Promise<Result | null> {
    try {
      return await ask();
    } catch (error) {
      if (forced) return null;
      throw new CloseRefused(`The chain cannot be read now. Try again later. ${FORCE}`, { cause: error });
    }
  }
}

const FORCE = 'If you have seen it elsewhere: --force "<where>".';

import { PaymentSettled } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { RecordSettlements } from '../../ledger/record-settlements';
import { TransferLog, type TokenTransaction } from '../../recovery/transfer-log.port';
import { ledgerPayment, type LedgerPayment } from '../reconciliation/ledger-pages';
import { paysFor } from '../reconciliation/transfer-finder';
import { CloseRefused, FORCE, readChain } from './close-refused';

/** Closes a payment as settled by a transaction. `--force` replaces missing evidence, and overrules none. */
@Injectable()
export class CloseAsSettled {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly settlements: RecordSettlements,
    @Inject(TransferLog) private readonly log: TransferLog | null,
  ) {}

  /**
   * @returns what records the settlement
   * @throws CloseRefused unless this transaction moved the price to us by this authorization, as far as can be known
   */
  async check(row: PaymentRow, transactionHash: string, forced: boolean): Promise<() => Promise<unknown>> {
    const payment = ledgerPayment(row);
    if (this.log) await this.checkTransfer(this.log, payment, transactionHash, forced);
    else await this.checkUnclaimed(payment, transactionHash, forced);
    return () => this.settlements.record({ payment: row, transactionHash, settledAt: this.clock.now(), answer: null });
  }

  private async checkTransfer(log: TransferLog, payment: LedgerPayment, hash: string, forced: boolean): Promise<void> {
    const transaction = await readChain(() => log.transaction(hash, payment.asset), forced);
    if (transaction && !paysFor(transaction, payment)) {
      throw new CloseRefused(`The transaction ${hash} did not pay this: it is in a block and has no such transfer.`);
    }
    if (transaction && (await this.isConfirmed(log, transaction, forced))) return;
    if (forced) return;
    throw new CloseRefused(
      transaction
        ? `The transaction ${hash} is not confirmed yet. Try again in a few seconds.`
        : `The chain does not know the transaction ${hash}. ${FORCE}`,
    );
  }

  private async isConfirmed(log: TransferLog, { block }: TokenTransaction, forced: boolean): Promise<boolean> {
    const head = await readChain(() => log.head(), forced);
    return head !== null && block <= head.number;
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
}

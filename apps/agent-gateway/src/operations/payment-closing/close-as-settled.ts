import { PaymentSettled } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { RecordSettlements, UNKNOWN_LOG_INDEX } from '../../ledger/record-settlements';
import { ownTransfer } from '../../recovery/token-transaction';
import { TransferLog, type TokenTransaction, type Transfer } from '../../recovery/transfer-log.port';
import { ledgerPayment, type LedgerPayment } from '../reconciliation/ledger-pages';
import { CloseRefused, FORCE, NAME_TRANSFER, readChain } from './close-refused';

/** What an operator says has paid it. */
interface SaidTransfer {
  transactionHash: string;
  logIndex: number | null;
}

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
   * @throws CloseRefused unless this authorization itself moved the price to us in it, as far as can be known
   */
  async check(row: PaymentRow, said: SaidTransfer, forced: boolean): Promise<() => Promise<unknown>> {
    const payment = ledgerPayment(row);
    const { transactionHash } = said;
    const seen = this.log && (await this.seenTransfer(this.log, payment, said, forced));
    if (!this.log && said.logIndex === null) await this.checkUnclaimed(payment, transactionHash, forced);
    const logIndex = seen?.logIndex ?? said.logIndex ?? UNKNOWN_LOG_INDEX;
    const settledAt = this.clock.now();
    return () => this.settlements.record({ payment: row, transactionHash, logIndex, settledAt, answer: null });
  }

  /** Null when the chain does not show it and the operator has seen it elsewhere. */
  private async seenTransfer(
    log: TransferLog,
    payment: LedgerPayment,
    { transactionHash: hash, logIndex }: SaidTransfer,
    forced: boolean,
  ): Promise<Transfer | null> {
    const transaction = await readChain(() => log.transaction(hash, payment.asset), forced);
    const transfer = transaction && ownTransfer(transaction, payment);
    if (transaction && (!transfer || transfer.logIndex !== (logIndex ?? transfer.logIndex))) {
      throw new CloseRefused(`The transaction ${hash} did not pay this: it is in a block and has no such transfer.`);
    }
    if (forced || (transaction && (await this.isConfirmed(log, transaction, forced)))) return transfer;
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
      throw new CloseRefused(`Another payment of this wallet was settled by ${hash}. ${NAME_TRANSFER}`);
    }
  }
}

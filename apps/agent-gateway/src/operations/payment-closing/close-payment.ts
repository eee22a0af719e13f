import { Clock } from '@evenkeel/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { PaymentSettled } from '@evenkeel/contracts';
import { DataSource } from 'typeorm';
import { OperatorActions, type OperatorAction } from '@evenkeel/platform/persistence';
import { PaymentTerms } from '../../config/payment-terms';
import { expiredForGoodAt } from '../../ledger/payment-checks';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { RecordFailure } from '../../ledger/unsettled-outcomes';
import { Chain, ownTransfer } from '../../recovery/chain';
import type { Transfer } from '../../recovery/chain-evidence';
import { closeCommand } from '../reconciliation/ledger-pages';
import { RecordSettlements, UNKNOWN_LOG_INDEX, TransferTaken } from '../../ledger/record-settlements';
import { FindPayments } from '../../ledger/find-payments';
import { TakeOver } from '../../ledger/abandoned-payments';

/** A payment is not closed; the message says why, and what to do instead. */
export class CloseRefused extends Error {}

const FORCE = 'If you have seen it elsewhere: --force "<where>".';

const NAME_TRANSFER =
  'When one transaction made several transfers, say which one paid this: <hash>:<log index>, as an explorer shows it.';

/**
 * Reads the chain.
 * @returns null when it cannot be read and the operator has seen the evidence elsewhere
 * @throws CloseRefused when it cannot be read
 */
async function readChain<Result>(ask: () => Promise<Result>, forced: boolean): Promise<Result | null> {
  try {
    return await ask();
  } catch (error) {
    if (forced) return null;
    throw new CloseRefused(`The chain cannot be read now. Try again later. ${FORCE}`, { cause: error });
  }
}

/** Closes a payment that nothing paid and nothing will. `--force` replaces missing evidence, and overrules none. */
@Injectable()
export class CloseAsFailed {
  constructor(
    private readonly clock: Clock,
    private readonly failures: RecordFailure,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /**
   * @returns what records the failure
   * @throws CloseRefused while the authorization may still pay us, or when it did
   */
  async check(row: PaymentRow, forced: boolean): Promise<() => Promise<unknown>> {
    const reason = await this.reason(row, forced);
    return () => this.failures.record(row.id, 'void', reason);
  }

  private async reason(payment: PaymentRow, forced: boolean): Promise<string> {
    const evidence = this.chain && (await readChain(() => this.chain!.evidence(payment), forced));
    if (evidence?.kind === 'transferred') {
      throw new CloseRefused(
        `The money came. Close it so: ${closeCommand(payment, evidence.transfer.transactionHash)}`,
      );
    }
    if (evidence?.kind === 'void') return evidence.reason;
    const closableAt = expiredForGoodAt(payment);
    const asOf = evidence?.kind === 'unused' ? evidence.asOf : this.clock.now();
    if (asOf < closableAt) {
      throw new CloseRefused(`It may still be settled. It can be closed as failed from ${closableAt.toISOString()}.`);
    }
    if (evidence?.kind === 'unexplained' && !forced) {
      throw new CloseRefused(
        `Its nonce is used and the transaction was not found, so the money may have come. ${FORCE}`,
      );
    }
    return evidence?.kind === 'unused' ? 'authorization_expired' : 'closed_by_operator';
  }
}

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
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /**
   * @returns what records the settlement
   * @throws CloseRefused unless this authorization itself moved the price to us in it, as far as can be known
   */
  async check(payment: PaymentRow, said: SaidTransfer, forced: boolean): Promise<() => Promise<unknown>> {
    const { transactionHash } = said;
    const seen = this.chain && (await this.seenTransfer(this.chain, payment, said, forced));
    if (!this.chain && said.logIndex === null) await this.checkUnclaimed(payment, transactionHash, forced);
    const logIndex = seen?.logIndex ?? said.logIndex ?? UNKNOWN_LOG_INDEX;
    const settledAt = this.clock.now();
    return () => this.settlements.record({ payment, transactionHash, logIndex, settledAt, answer: null });
  }

  /** Null when the chain does not show it and the operator has seen it elsewhere. */
  private async seenTransfer(
    chain: Chain,
    payment: PaymentRow,
    { transactionHash: hash, logIndex }: SaidTransfer,
    forced: boolean,
  ): Promise<Transfer | null> {
    const transaction = await readChain(() => chain.transaction(hash, payment.asset), forced);
    const transfer = transaction && ownTransfer(transaction, payment);
    if (transaction && (!transfer || transfer.logIndex !== (logIndex ?? transfer.logIndex))) {
      throw new CloseRefused(`The transaction ${hash} did not pay this: it is in a block and has no such transfer.`);
    }
    if (forced) return transfer;
    if (!transaction) throw new CloseRefused(`The chain does not know the transaction ${hash}. ${FORCE}`);
    const head = await readChain(() => chain.head(), false);
    if (transaction.block <= head!.number) return transfer;
    throw new CloseRefused(`The transaction ${hash} is not confirmed yet. Try again in a few seconds.`);
  }

  /** Without the chain: one transaction is not the evidence of two payments of a wallet. */
  private async checkUnclaimed({ id, payer }: PaymentRow, hash: string, forced: boolean): Promise<void> {
    const others = await this.dataSource.query<unknown[]>(
      `SELECT FROM outbox WHERE aggregate = $1 AND type = $2 AND payload->>'transactionHash' = $3 AND subject <> $4`,
      [payer, PaymentSettled.type, hash, id],
    );
    if (others.length > 0 && !forced) {
      throw new CloseRefused(`Another payment of this wallet was settled by ${hash}. ${NAME_TRANSFER}`);
    }
  }
}

export interface CloseCommand {
  payer: string;
  nonce: string;
  /** The transaction that paid it; null when nothing ever will. */
  transactionHash: string | null;
  /** Which transfer of the transaction, where the operator says so. */
  logIndex: number | null;
  operator: string;
  /** Where the operator has seen it: replaces evidence that is missing here. */
  force: string | null;
}

export interface Closed {
  change: 'closed' | 'unchanged';
  before: PaymentRow;
  after: PaymentRow;
}

/** Ends an uncertain payment as an operator says it ended, by the same statements as every other way; each use is written down. */
@Injectable()
export class ClosePayment {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly payments: FindPayments,
    private readonly takeOver: TakeOver,
    private readonly asSettled: CloseAsSettled,
    private readonly asFailed: CloseAsFailed,
    private readonly actions: OperatorActions,
  ) {}

  /** However often: a payment that is closed so already stays as it is. @throws CloseRefused */
  async execute(command: CloseCommand): Promise<Closed> {
    let before: PaymentRow | null = null;
    try {
      before = await this.find(command);
      const isClosed = isClosedSo(before, command);
      const after = isClosed ? before : await this.close(before, command);
      const step = isClosed ? 'unchanged' : 'done';
      await this.write(command, { step, before: stateOf(before), after: stateOf(after) });
      return { change: isClosed ? 'unchanged' : 'closed', before, after };
    } catch (error) {
      const { message: note } = error as Error;
      await this.write(command, { step: 'refused', note, before: before ? stateOf(before) : undefined });
      throw error;
    }
  }

  private async find({ payer, nonce }: CloseCommand): Promise<PaymentRow> {
    const row = await this.payments.byAuthorization(payer, nonce, this.terms.asset);
    if (!row) throw new CloseRefused(`The ledger has no payment of ${payer} with the nonce ${nonce}.`);
    if (row.state !== 'settling') return row;
    if (await this.takeOver.ifAbandoned(row)) return this.payments.byId(row.id);
    const seconds = this.takeOver.abandonedAfterMs / 1_000;
    throw new CloseRefused(`It is being settled at this moment. Try again in ${seconds} seconds.`);
  }

  private async close(before: PaymentRow, command: CloseCommand): Promise<PaymentRow> {
    const { transactionHash, logIndex, force } = command;
    if (before.state === 'settled') throw new CloseRefused(`It is settled already, by ${before.transactionHash}.`);
    const record = transactionHash
      ? await this.asSettled.check(before, { transactionHash, logIndex }, force !== null)
      : await this.asFailed.check(before, force !== null);
    await this.write(command, { step: 'begun', before: stateOf(before) });
    await record().catch((error: unknown) => {
      throw error instanceof TransferTaken ? new CloseRefused(`${error.message} ${NAME_TRANSFER}`) : error;
    });
    const after = await this.payments.byId(before.id);
    if (isClosedSo(after, command)) return after;
    throw new CloseRefused(`Meanwhile it became ${after.state}, by ${after.transactionHash ?? after.reason}.`);
  }

  private async write(
    { operator, payer, nonce, transactionHash, logIndex, force }: CloseCommand,
    what: Pick<OperatorAction, 'step' | 'note' | 'before' | 'after'>,
  ): Promise<void> {
    const transfer = logIndex === null ? transactionHash : `${transactionHash}:${logIndex}`;
    const given = { outcome: transfer ?? 'failed', ...(force !== null && { force }) };
    const about = { action: 'payment:close', subject: `${payer} ${nonce}` };
    await this.actions.add({ operator, ...about, arguments: given, ...what });
  }
}

function isClosedSo({ state, transactionHash }: PaymentRow, command: CloseCommand): boolean {
  if (command.transactionHash === null) return state === 'settlement_failed';
  return state === 'settled' && transactionHash === command.transactionHash;
}

function stateOf({ id, state, served, transactionHash, reason, settledAt }: PaymentRow): object {
  return { id, state, served, transactionHash, reason, settledAt };
}

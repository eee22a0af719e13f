import { Injectable } from '@nestjs/common';
import { PaymentTerms } from '../../config/payment-terms';
import { FindPayments } from '../../ledger/find-payments';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { TransferTaken } from '../../ledger/record-settlements';
import { TakeOver } from '../../ledger/abandoned-payments';
import { CloseAsFailed } from './close-as-failed';
import { CloseAsSettled } from './close-as-settled';
import { CloseRefused, NAME_TRANSFER } from './close-refused';
import { OperatorActions, type OperatorAction } from '@evenkeel/platform/persistence';

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
      const closed = isClosedSo(before, command) ? unchanged(before) : await this.close(before, command);
      const step = closed.change === 'closed' ? 'done' : 'unchanged';
      await this.write(command, { step, before: stateOf(before), after: stateOf(closed.after) });
      return closed;
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

  private async close(before: PaymentRow, command: CloseCommand): Promise<Closed> {
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
    if (isClosedSo(after, command)) return { change: 'closed', before, after };
    throw new CloseRefused(`Meanwhile it became ${after.state}, by ${after.transactionHash ?? after.reason}.`);
  }

  private async write(
    { operator, payer, nonce, transactionHash, logIndex, force }: CloseCommand,
    what: Pick<OperatorAction, 'step' | 'note' | 'before' | 'after'>,
  ): Promise<void> {
    const transfer = logIndex === null ? transactionHash : `${transactionHash}:${logIndex}`;
    const given = { outcome: transfer ?? 'failed', ...(force !== null && { force }) };
    await this.actions.add({
      operator,
      action: 'payment:close',
      subject: `${payer} ${nonce}`,
      arguments: given,
      ...what,
    });
  }
}

function isClosedSo({ state, transactionHash }: PaymentRow, command: CloseCommand): boolean {
  if (command.transactionHash === null) return state === 'settlement_failed';
  return state === 'settled' && transactionHash === command.transactionHash;
}

function unchanged(payment: PaymentRow): Closed {
  return { change: 'unchanged', before: payment, after: payment };
}

function stateOf({ id, state, served, transactionHash, reason, settledAt }: PaymentRow): object {
  return { id, state, served, transactionHash, reason, settledAt };
}

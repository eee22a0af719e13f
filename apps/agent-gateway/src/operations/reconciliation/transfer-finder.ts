import { Inject, Injectable } from '@nestjs/common';
import { FindPayments } from '../../ledger/find-payments';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { Chain, ownTransfer } from '../../recovery/chain';
import type { ChainEvidence, TokenTransaction, Transfer } from '../../recovery/chain-evidence';
import { closeCommand, differenceOf, LedgerPages } from './ledger-pages';
import type { Difference } from './report';

/** The chain's evidence of a payment without a transfer in the stream. */
export interface Found {
  /** Of its transfer; null when it has none. */
  block: bigint | null;
  /** Payments without a transfer of their own, by id: this one, and others that name the same transaction. */
  missing: Map<string, Difference>;
}

/** Looks at single payments and transfers that found no counterpart in the stream. */
@Injectable()
export class TransferFinder {
  constructor(
    private readonly payments: FindPayments,
    private readonly ledger: LedgerPages,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /** Looks for the transfer of one payment: it may be under another hash, or in a block outside the stretch. */
  async ofPayment(payment: PaymentRow): Promise<Found> {
    const { transactionHash, asset } = payment;
    const named = transactionHash ? await this.chain!.transaction(transactionHash, asset) : null;
    // Another payment with the same hash may have taken its transfer in the stream.
    const others = named ? await this.ledger.settledBy(payment) : [];
    const found: Found = { block: null, missing: new Map() };
    for (const one of [payment, ...others]) {
      const evidence = await this.evidence(one, named);
      if (evidence.kind !== 'transferred') {
        const isShared = evidence.kind === 'void' && others.length > 0;
        found.missing.set(one.id, differenceOf(one, isShared ? SHARED : MISSING[evidence.kind]));
      } else if (one === payment) found.block = evidence.block;
    }
    return found;
  }

  private async evidence(payment: PaymentRow, named: TokenTransaction | null): Promise<ChainEvidence> {
    const transfer = named && ownTransfer(named, payment);
    if (transfer) return { kind: 'transferred', transfer, block: named.block };
    return this.chain!.evidence(payment);
  }

  /**
   * Which payment a transfer was for: that of the authorization that made it.
   * @returns the payment when the ledger has it as settled, else the difference
   */
  async unexpected(transfer: Transfer, asset: string): Promise<{ settled: PaymentRow } | { difference: Difference }> {
    const { transactionHash, payer, amountMicros, logIndex } = transfer;
    const transaction = await this.chain!.transaction(transactionHash, asset);
    const nonce = transaction?.used.find((used) => used.transfer?.logIndex === logIndex)?.nonce ?? null;
    const payment = nonce && (await this.payments.byAuthorization(payer, nonce, asset));
    if (!payment) {
      const remedy = nonce ? UNKNOWN_PAYMENT : NO_PAYMENT;
      return { difference: { payer, nonce, amountMicros, transactionHash, state: null, remedy } };
    }
    if (payment.state === 'settled') return { settled: payment };
    return { difference: { ...differenceOf(payment, unsettled(payment, transactionHash)), transactionHash } };
  }
}

function unsettled(payment: PaymentRow, hash: string): string {
  const close = `Close it: ${closeCommand(payment, hash)}`;
  if (payment.state === 'settlement_failed')
    return `The money came although the settlement was taken for failed. ${close}`;
  return `The money came and the worker has not written it down: see that it runs. If it stays so: ${close}`;
}

const MISSING = {
  unused:
    'The ledger says settled and the authorization is unused on the chain. Ask the facilitator for the transaction.',
  void: 'The ledger says settled and the authorization was cancelled or spent on somebody else: ask the facilitator.',
  unexplained: 'The authorization is used and no transfer of it was found: look for it in a block explorer.',
} as const;
const SHARED =
  'The ledger says settled by a transaction that paid another payment and not this one: nothing was received for it. ' +
  'Tell whoever looks after the payer, and leave the row as it is.';
const UNKNOWN_PAYMENT =
  'Paid with an authorization that never reached the ledger: sent by a third party, or the ledger lost a row. ' +
  'Nothing was given for it; pay it back, or keep it with a note.';
const NO_PAYMENT = 'A plain transfer, not for a call. Pay it back, or keep it with a note.';

import { Inject, Injectable } from '@nestjs/common';
import { FindPayments } from '../../ledger/find-payments';
import { Chain } from '../../recovery/chain.port';
import { TransferLog, type TokenTransaction, type Transfer } from '../../recovery/transfer-log.port';
import { closeCommand, differenceOf, LedgerPages, ledgerPayment, type LedgerPayment } from './ledger-pages';
import type { Difference } from './report';

export interface Found {
  isThere: boolean;
  /** The payment itself when it is not there; others that took its transfer when it is. */
  differences: Difference[];
}

/** Looks at single payments and transfers that found no counterpart in the stream. */
@Injectable()
export class TransferFinder {
  constructor(
    private readonly payments: FindPayments,
    private readonly ledger: LedgerPages,
    @Inject(TransferLog) private readonly log: TransferLog | null,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  /** Looks for the transfer of one payment: it may be under another hash, or in a block outside the stretch. */
  async ofPayment(payment: LedgerPayment): Promise<Found> {
    const { transactionHash, asset } = payment;
    const named = transactionHash && (await this.log!.transaction(transactionHash, asset));
    if (named && paysFor(named, payment))
      return { isThere: true, differences: await this.othersSettledBy(payment, named) };
    const missing = await this.missing(payment);
    return { isThere: missing === null, differences: missing ? [missing] : [] };
  }

  private async missing(payment: LedgerPayment): Promise<Difference | null> {
    const { payer, nonce, asset, payTo, amountMicros: priceMicros, createdAt: claimedAt } = payment;
    const evidence = await this.chain!.evidence({ payer, nonce, asset, payTo, priceMicros, claimedAt });
    return evidence.kind === 'transferred' ? null : differenceOf(payment, MISSING[evidence.kind]);
  }

  /** If its transfer is there and was not left over for it, another payment with the same hash has taken it in the stream. */
  private async othersSettledBy(payment: LedgerPayment, transaction: TokenTransaction): Promise<Difference[]> {
    const others = await this.ledger.settledBy(payment);
    const missing = others.filter((other) => !paysFor(transaction, other)).map((other) => this.missing(other));
    return (await Promise.all(missing)).filter((difference) => difference !== null);
  }

  /**
   * Which payment a transfer was for.
   * @param taken ids of payments found for other transfers already; the one found is added
   * @returns null when the ledger has it as settled
   */
  async unexpected(transfer: Transfer, asset: string, taken: Set<string>): Promise<Difference | null> {
    const { transactionHash, payer, amountMicros } = transfer;
    const transaction = await this.log!.transaction(transactionHash, asset);
    const nonces = transaction?.used.filter((used) => used.payer === payer).map(({ nonce }) => nonce) ?? [];
    const rows = await Promise.all(nonces.map((nonce) => this.payments.byAuthorization(payer, nonce, asset)));
    const known = rows.flatMap((row) => (row && !taken.has(row.id) ? [ledgerPayment(row)] : []));
    // One settled by this very transaction has most likely found its transfer in the stream.
    const payment = known.find((row) => !isSettledBy(row, transactionHash)) ?? known[0];
    if (!payment) {
      const nonce = nonces.length === 1 ? nonces[0]! : null;
      return { payer, nonce, amountMicros, transactionHash, state: null, remedy: nonce ? UNKNOWN_PAYMENT : NO_PAYMENT };
    }
    taken.add(payment.id);
    if (payment.state === 'settled') return null;
    return { ...differenceOf(payment, unsettled(payment, transactionHash)), transactionHash };
  }
}

/** Whether a transaction used this authorization up and moved its price to the recipient that it names. */
export function paysFor({ used, transfers }: TokenTransaction, payment: LedgerPayment): boolean {
  const { payer, nonce, payTo, amountMicros } = payment;
  return (
    used.some((one) => one.payer === payer && one.nonce === nonce) &&
    transfers.some(
      (one) => one.payer === payer && one.payTo === payTo.toLowerCase() && one.amountMicros === amountMicros,
    )
  );
}

function isSettledBy({ state, transactionHash }: LedgerPayment, hash: string): boolean {
  return state === 'settled' && transactionHash === hash;
}

function unsettled(payment: LedgerPayment, hash: string): string {
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
const UNKNOWN_PAYMENT =
  'Paid with an authorization that never reached the ledger: sent by a third party, or the ledger lost a row. ' +
  'Nothing was given for it; pay it back, or keep it with a note.';
const NO_PAYMENT = 'A plain transfer, not for a call. Pay it back, or keep it with a note.';

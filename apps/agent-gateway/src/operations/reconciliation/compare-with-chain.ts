import { Inject, Injectable } from '@nestjs/common';
import { TransferLog, type Transfer } from '../../recovery/transfer-log.port';
import { PaymentTerms } from '../../config/payment-terms';
import type { Compare, Stretch } from './compare';
import { LedgerPages } from './ledger-pages';
import type { LedgerPayment } from './ledger-payment';
import { Matching } from './matching';
import type { Comparison } from './report';
import { TransferFinder } from './transfer-finder';

/** Public nodes refuse wider ranges. */
const MOST_BLOCKS = 2_000n;
/** A node that refuses even this is not refusing the size. */
const FEWEST_BLOCKS = 125n;
/** Claim and transfer lie closer together, or the payment is looked at singly. */
const APART_MS = 10 * 60_000;

/** The settled payments of the ledger beside the transfers to us that the chain shows. */
@Injectable()
export class CompareWithChain implements Compare {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly ledger: LedgerPages,
    private readonly finder: TransferFinder,
    @Inject(TransferLog) private readonly log: TransferLog | null,
  ) {}

  async execute({ since: wanted, until, isLate, report }: Stretch): Promise<Comparison> {
    const log = this.log!;
    const head = await log.head();
    // What is older than the chain, as that of local runs, is not on it.
    const { at: begun } = await log.block(0n);
    const since = begun > wanted ? begun : wanted;
    const run = new ChainComparison(this.finder, this.terms.asset);
    let from = await log.firstBlockSince(since, head);
    const last = (await log.firstBlockSince(until, head)) - 1n;
    let comparedUntil = since;
    let step = MOST_BLOCKS;
    while (from <= last && !isLate()) {
      const to = from + step - 1n < last ? from + step - 1n : last;
      const transfers = await this.transfers({ from, to });
      if (!transfers) {
        step /= 2n;
        continue;
      }
      const stretchEnd = to === last ? until : (await log.block(to)).at;
      await this.addPayments(run, comparedUntil, stretchEnd);
      for (const transfer of transfers) run.addTransfer(transfer, stretchEnd);
      await run.explainBefore(new Date(stretchEnd.getTime() - APART_MS));
      [from, comparedUntil] = [to + 1n, stretchEnd];
      step = step * 2n < MOST_BLOCKS ? step * 2n : MOST_BLOCKS;
      report(`chain: block ${to} of ${last}, ${comparedUntil.toISOString()}`);
    }
    if (from > last) {
      await this.addPayments(run, comparedUntil, until);
      comparedUntil = until;
    }
    await run.explainBefore(new Date(8.64e15));
    return run.comparison(comparedUntil);
  }

  /** Null when the node refuses a range that could be narrower: by its own limit, or because the answer is too long. */
  private async transfers(range: { from: bigint; to: bigint }): Promise<Transfer[] | null> {
    try {
      return await this.log!.transfersTo(this.terms.payTo, this.terms.asset, range);
    } catch (error) {
      if (range.to - range.from < FEWEST_BLOCKS) throw error;
      return null;
    }
  }

  private async addPayments(run: ChainComparison, since: Date, until: Date): Promise<void> {
    for await (const page of this.ledger.between(since, until)) {
      for (const payment of page) if (this.isOfThisChain(payment)) run.addPayment(payment);
    }
  }

  private isOfThisChain({ state, chainId, asset }: LedgerPayment): boolean {
    return state === 'settled' && chainId === this.terms.chain.chainId && asset === this.terms.asset.toLowerCase();
  }
}

class ChainComparison {
  private readonly matching = new Matching<LedgerPayment, Transfer>();
  private readonly found: Comparison = {
    with: 'chain',
    matched: 0,
    oursOnly: [],
    theirsOnly: [],
    comparedUntil: new Date(0),
  };
  /** Found from the side of the transfer. */
  private readonly taken = new Set<string>();

  constructor(
    private readonly finder: TransferFinder,
    private readonly asset: string,
  ) {}

  addPayment(payment: LedgerPayment): void {
    const { transactionHash, payer, amountMicros } = payment;
    this.matching.addOurs(`${transactionHash} ${payer} ${amountMicros}`, payment.createdAt, payment);
  }

  addTransfer(transfer: Transfer, at: Date): void {
    const { transactionHash, payer, amountMicros } = transfer;
    this.matching.addTheirs(`${transactionHash} ${payer} ${amountMicros}`, at, transfer);
  }

  async explainBefore(instant: Date): Promise<void> {
    const { ours, theirs } = this.matching.takeBefore(instant);
    for (const transfer of theirs) {
      const difference = await this.finder.unexpected(transfer, this.asset, this.taken);
      if (difference) this.found.theirsOnly.push(difference);
      else this.found.matched += 1;
    }
    for (const payment of ours.filter(({ id }) => !this.taken.has(id))) {
      const { isThere, differences } = await this.finder.ofPayment(payment);
      this.found.oursOnly.push(...differences);
      if (isThere) this.found.matched += 1 - differences.length;
    }
  }

  comparison(comparedUntil: Date): Comparison {
    return { ...this.found, matched: this.found.matched + this.matching.matched, comparedUntil };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { PaymentTerms } from '../../config/payment-terms';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { Chain } from '../../recovery/chain';
import type { Transfer } from '../../recovery/chain-evidence';
import { LedgerPages } from './ledger-pages';
import type { Compare, Comparison, Difference, Period } from './report';
import { TransferFinder } from './transfer-finder';

/** Public nodes refuse wider ranges. */
const MOST_BLOCKS = 2_000n;
/** A node that refuses even this is not refusing the size. */
const FEWEST_BLOCKS = 125n;
/** Claim and transfer lie closer together, or the payment is looked up by itself. */
const APART_MS = 10 * 60_000;

/** The settled payments of the ledger compared with the transfers to us that the chain shows. */
@Injectable()
export class CompareWithChain implements Compare {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly ledger: LedgerPages,
    private readonly finder: TransferFinder,
    @Inject(Chain) private readonly chain: Chain | null,
  ) {}

  get isPossible(): boolean {
    return this.chain !== null;
  }

  /** The newest confirmed block, when it is earlier: nothing after it can be compared. */
  async confirmed(until: Date): Promise<Date> {
    const head = await this.chain?.head();
    return head && head.at < until ? head.at : until;
  }

  async execute({ since: wanted, until, isLate, report }: Period): Promise<Comparison> {
    const chain = this.chain!;
    const head = await chain.head();
    // The chain of a local run has nothing older than itself.
    const { at: begun } = await chain.block(0n);
    const since = begun > wanted ? begun : wanted;
    const first = await chain.firstBlockSince(since, head, isLate);
    const end = await chain.firstBlockSince(until, head, isLate);
    if (first === null || end === null) return nothingCompared(since);
    const last = end - 1n;
    let from = first;
    let comparedUntil = since;
    const run = new ChainComparison(this.finder, this.terms.asset, {
      block: (number) => number >= first && number < from,
      time: (at) => at >= since && at < until,
    });
    let step = MOST_BLOCKS;
    while (from <= last && !isLate()) {
      const to = from + step - 1n < last ? from + step - 1n : last;
      const transfers = await this.transfers({ from, to });
      if (!transfers) {
        step /= 2n;
        continue;
      }
      const periodEnd = to === last ? until : (await chain.block(to)).at;
      await this.addPayments(run, comparedUntil, periodEnd);
      for (const transfer of transfers) run.addTransfer(transfer, periodEnd);
      [from, comparedUntil] = [to + 1n, periodEnd];
      await run.explainBefore(new Date(periodEnd.getTime() - APART_MS));
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
      return await this.chain!.transfersTo(this.terms.payTo, this.terms.asset, range);
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

  private isOfThisChain({ state, chainId, asset }: PaymentRow): boolean {
    return state === 'settled' && chainId === this.terms.chain.chainId && asset === this.terms.asset.toLowerCase();
  }
}

function nothingCompared(comparedUntil: Date): Comparison {
  const sums = { ledgerMicros: 0, chainMicros: 0 };
  return { with: 'chain', matched: 0, oursOnly: [], theirsOnly: [], sums, comparedUntil };
}

class ChainComparison {
  private readonly matching = new Matching<PaymentRow, Transfer>();
  private readonly theirsOnly: Difference[] = [];
  /** Settled in the ledger, without a transfer of their own; by id. */
  private readonly missing = new Map<string, Difference>();
  /** Ids of payments that were paired with a transfer outside the stream. */
  private readonly paired = new Set<string>();
  private matched = 0;
  private readonly sums = { ledgerMicros: 0, chainMicros: 0 };

  /** @param isCompared whether transfers of this block, and payments of this time, come in the stream */
  constructor(
    private readonly finder: TransferFinder,
    private readonly asset: string,
    private readonly isCompared: { block: (number: bigint) => boolean; time: (at: Date) => boolean },
  ) {}

  addPayment(payment: PaymentRow): void {
    const { transactionHash, payer, priceMicros: amountMicros } = payment;
    this.sums.ledgerMicros += amountMicros;
    this.matching.addOurs(`${transactionHash} ${payer} ${amountMicros}`, payment.createdAt, payment);
  }

  addTransfer(transfer: Transfer, at: Date): void {
    const { transactionHash, payer, amountMicros } = transfer;
    this.sums.chainMicros += amountMicros;
    this.matching.addTheirs(`${transactionHash} ${payer} ${amountMicros}`, at, transfer);
  }

  async explainBefore(instant: Date): Promise<void> {
    const { ours, theirs } = this.matching.takeBefore(instant);
    for (const transfer of theirs) await this.explainTransfer(transfer);
    for (const payment of ours) await this.explainPayment(payment);
  }

  private async explainTransfer(transfer: Transfer): Promise<void> {
    const found = await this.finder.unexpected(transfer, this.asset);
    if ('difference' in found) this.theirsOnly.push(found.difference);
    else if (this.pair(found.settled) && !this.isCompared.time(found.settled.createdAt)) {
      this.sums.ledgerMicros += transfer.amountMicros;
    }
  }

  private async explainPayment(payment: PaymentRow): Promise<void> {
    if (this.paired.has(payment.id) || this.missing.has(payment.id)) return;
    const { block, missing } = await this.finder.ofPayment(payment);
    for (const [id, difference] of missing) this.missing.set(id, difference);
    if (block === null) return;
    const isInStream = this.isCompared.block(block);
    // In the stream another payment has taken it, which is missing now: the number of pairs stays the same.
    if (isInStream && missing.size > 0) return;
    if (this.pair(payment) && !isInStream) this.sums.chainMicros += payment.priceMicros;
  }

  /** @returns false when it was paired before */
  private pair({ id }: PaymentRow): boolean {
    if (this.paired.has(id)) return false;
    this.paired.add(id);
    this.matched += 1;
    return true;
  }

  comparison(comparedUntil: Date): Comparison {
    const { theirsOnly, sums } = this;
    const matched = this.matched + this.matching.matched;
    return { with: 'chain', matched, oursOnly: [...this.missing.values()], theirsOnly, sums, comparedUntil };
  }
}

interface Waiting<Item> {
  item: Item;
  at: Date;
}

/** The items without a counterpart so far, by key; several may have the same. */
class Side<Item> {
  private readonly waiting = new Map<string, Waiting<Item>[]>();

  add(key: string, at: Date, item: Item): void {
    const others = this.waiting.get(key);
    if (others) others.push({ item, at });
    else this.waiting.set(key, [{ item, at }]);
  }

  takeOne(key: string): boolean {
    const found = this.waiting.get(key);
    if (!found) return false;
    found.shift();
    if (found.length === 0) this.waiting.delete(key);
    return true;
  }

  /** Removes and returns what is older. */
  takeBefore(instant: Date): Item[] {
    const taken: Item[] = [];
    for (const [key, waiting] of this.waiting) {
      taken.push(...waiting.filter(({ at }) => at < instant).map(({ item }) => item));
      const rest = waiting.filter(({ at }) => at >= instant);
      if (rest.length > 0) this.waiting.set(key, rest);
      else this.waiting.delete(key);
    }
    return taken;
  }
}

/**
 * Pairs two streams that come in order of time but not in step: one of ours with one of theirs of the same key. Holds only
 * what waits for its counterpart, so that no range is too long for the memory.
 */
export class Matching<Ours, Theirs> {
  matched = 0;
  private readonly ours = new Side<Ours>();
  private readonly theirs = new Side<Theirs>();

  addOurs(key: string, at: Date, item: Ours): void {
    if (this.theirs.takeOne(key)) this.matched += 1;
    else this.ours.add(key, at, item);
  }

  addTheirs(key: string, at: Date, item: Theirs): void {
    if (this.ours.takeOne(key)) this.matched += 1;
    else this.theirs.add(key, at, item);
  }

  /** Takes the items that can find no counterpart any more. */
  takeBefore(instant: Date): { ours: Ours[]; theirs: Theirs[] } {
    return { ours: this.ours.takeBefore(instant), theirs: this.theirs.takeBefore(instant) };
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { PaymentTerms } from '../../config/payment-terms';
import { FindPayments } from '../../ledger/find-payments';
import type { PaymentRow } from '../../ledger/ledger.entities';
import { Chain, ownTransfer } from '../../recovery/chain';
import type { Transfer } from '../../recovery/chain-evidence';
import { closeCommand, differenceOf, LedgerPages } from './ledger-pages';
import type { Comparison, Difference, Period } from './report';

/** Public nodes refuse wider ranges. */
const MOST_BLOCKS = 2_000n;
/** A node that refuses even this is not refusing the size. */
const FEWEST_BLOCKS = 125n;

/** The settled payments of the ledger compared with the transfers to us that the chain shows. */
@Injectable()
export class CompareWithChain {
  constructor(
    private readonly terms: PaymentTerms,
    private readonly ledger: LedgerPages,
    private readonly payments: FindPayments,
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
    let comparedUntil = begun > wanted ? begun : wanted;
    const first = await chain.firstBlockSince(comparedUntil, head, isLate);
    let from = first;
    const end = await chain.firstBlockSince(until, head, isLate);
    const pairs = new Pairs();
    let step = MOST_BLOCKS;
    while (from !== null && end !== null && from < end && !isLate()) {
      const next: bigint = from + step < end ? from + step : end;
      const transfers = await this.transfers(from, next - 1n);
      if (!transfers) {
        step /= 2n;
        continue;
      }
      const periodEnd = next === end ? until : (await chain.block(next - 1n)).at;
      await this.addPayments(pairs, comparedUntil, periodEnd);
      for (const transfer of transfers) pairs.addTransfer(transfer);
      [from, comparedUntil] = [next, periodEnd];
      step = step * 2n < MOST_BLOCKS ? step * 2n : MOST_BLOCKS;
      report(`chain: block ${next - 1n} of ${end - 1n}, ${comparedUntil.toISOString()}`);
    }
    if (from !== null && end !== null && from >= end && comparedUntil < until) {
      await this.addPayments(pairs, comparedUntil, until);
      comparedUntil = until;
    }
    const isCompared = (block: bigint): boolean => first! <= block && block < from!;
    return { with: 'chain', ...(await this.explained(pairs, isCompared)), comparedUntil };
  }

  /** Null when the node refuses a range that could be narrower: by its own limit, or because the answer is too long. */
  private async transfers(from: bigint, to: bigint): Promise<Transfer[] | null> {
    try {
      return await this.chain!.transfersTo(this.terms.payTo, this.terms.asset, { from, to });
    } catch (error) {
      if (to - from < FEWEST_BLOCKS) throw error;
      return null;
    }
  }

  private async addPayments(pairs: Pairs, since: Date, until: Date): Promise<void> {
    const { chain, asset } = this.terms;
    for await (const page of this.ledger.between(since, until)) {
      const ours = page.filter((one) => one.chainId === chain.chainId && one.asset === asset.toLowerCase());
      for (const payment of ours) if (payment.state === 'settled') pairs.addPayment(payment);
    }
  }

  /** Looks up, one by one, what has found no counterpart: it may be under another hash, or outside of the time. */
  private async explained(
    { payments, transfers, ...sum }: Pairs,
    isCompared: (block: bigint) => boolean,
  ): Promise<Omit<Comparison, 'with' | 'comparedUntil'>> {
    const theirsOnly: Difference[] = [];
    const paired = new Map<string, number>();
    for (const transfer of [...transfers.values()].flat()) {
      const found = await this.ofTransfer(transfer);
      if ('remedy' in found) theirsOnly.push(found);
      else paired.set(found.id, transfer.amountMicros);
    }
    const missing = new Map<string, Difference>();
    for (const payment of [...payments.values()].flat()) {
      if (paired.has(payment.id) || missing.has(payment.id)) continue;
      const without = await this.withoutTransfer(payment, isCompared);
      for (const [id, difference] of without) missing.set(id, difference);
      // Where others are missing, one of them has been paired with its transfer: the number of pairs stays the same.
      if (without.size === 0) paired.set(payment.id, payment.priceMicros);
    }
    const oursOnly = [...missing.values()];
    const micros = [...paired.values()].reduce((total, one) => total + one, sum.micros);
    const sumOf = (listed: readonly Difference[]) => listed.reduce((total, one) => total + one.amountMicros, micros);
    const sums = { ledgerMicros: sumOf(oursOnly), chainMicros: sumOf(theirsOnly) };
    return { matched: sum.matched + paired.size, oursOnly, theirsOnly, sums };
  }

  /** @returns payments without a transfer of their own, by id: this one, or others that name the same transaction */
  private async withoutTransfer(
    payment: PaymentRow,
    isCompared: (block: bigint) => boolean,
  ): Promise<Map<string, Difference>> {
    const { transactionHash, asset } = payment;
    const named = transactionHash ? await this.chain!.transaction(transactionHash, asset) : null;
    // In no other block has a transfer been paired with another payment. At the edges of the time there are many such payments.
    const others = named && isCompared(named.block) ? await this.ledger.settledBy(payment) : [];
    const without = new Map<string, Difference>();
    for (const one of [payment, ...others]) {
      if (named && ownTransfer(named, one)) continue;
      const { kind } = await this.chain!.evidence(one);
      if (kind === 'transferred') continue;
      const isShared = kind === 'void' && others.length > 0;
      without.set(one.id, differenceOf(one, isShared ? SHARED : MISSING[kind]));
    }
    return without;
  }

  /** The payment of the authorization that made a transfer when the ledger has it as settled, else the difference. */
  private async ofTransfer(transfer: Transfer): Promise<PaymentRow | Difference> {
    const { transactionHash, payer, amountMicros, logIndex } = transfer;
    const { asset } = this.terms;
    const transaction = await this.chain!.transaction(transactionHash, asset);
    const nonce = transaction?.used.find((used) => used.transfer?.logIndex === logIndex)?.nonce ?? null;
    const payment = nonce && (await this.payments.byAuthorization(payer, nonce, asset));
    if (!payment) {
      const remedy = nonce ? UNKNOWN_PAYMENT : NO_PAYMENT;
      return { payer, nonce, amountMicros, transactionHash, state: null, remedy };
    }
    if (payment.state !== 'settled') {
      return { ...differenceOf(payment, unsettled(payment, transactionHash)), transactionHash };
    }
    if (payment.priceMicros === amountMicros) return payment;
    return { ...differenceOf(payment, OTHER_AMOUNT), amountMicros, transactionHash };
  }
}

/**
 * Pairs payments with transfers of the same hash, payer and amount. Both come in order of time, but not in step: it holds only
 * those that wait for their counterpart, so that no range is too long for the memory.
 */
class Pairs {
  matched = 0;
  micros = 0;
  readonly payments = new Map<string, PaymentRow[]>();
  readonly transfers = new Map<string, Transfer[]>();

  addPayment(payment: PaymentRow): void {
    const { transactionHash, payer, priceMicros } = payment;
    this.add(`${transactionHash} ${payer} ${priceMicros}`, payment, this.payments, this.transfers, priceMicros);
  }

  addTransfer(transfer: Transfer): void {
    const { transactionHash, payer, amountMicros } = transfer;
    this.add(`${transactionHash} ${payer} ${amountMicros}`, transfer, this.transfers, this.payments, amountMicros);
  }

  private add<Own>(key: string, item: Own, own: Map<string, Own[]>, others: Map<string, unknown[]>, micros: number) {
    const waiting = others.get(key);
    if (!waiting) return void own.set(key, [...(own.get(key) ?? []), item]);
    waiting.shift();
    if (waiting.length === 0) others.delete(key);
    this.matched += 1;
    this.micros += micros;
  }
}

function unsettled(payment: PaymentRow, hash: string): string {
  const close = `Close it: ${closeCommand(payment, hash)}`;
  if (payment.state === 'settlement_failed') {
    return `The money came although the settlement was taken for failed. ${close}`;
  }
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
const OTHER_AMOUNT = 'Received with another amount than the ledger has. Find out which row was changed by hand.';

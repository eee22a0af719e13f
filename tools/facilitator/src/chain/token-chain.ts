import type { Clock } from '@evenkeel/kernel';
import { type Address, type Hex, keccak256, stringToHex } from 'viem';
import {
  type Authorization,
  authorizationKey,
  cancelEvents,
  isAuthorization,
  type PlainTransfer,
  type Revert,
  type Submitter,
  Token,
  type TokenEvent,
  type Transaction,
  transferEvents,
} from './token';

interface Block {
  number: number;
  hash: Hex;
  parentHash: Hex;
  /** Seconds since 1970. */
  timestamp: number;
}

/** How far the chain reaches back before the start, so that a reader may look behind the very first payment. */
const PAST_MS = 600_000;

/**
 * A block every `blockMs`, by the clock alone: numbers, hashes and times follow from the moment of start and need no timer.
 * The newest block is open: transactions join it until the next one begins.
 */
class Blocks {
  private readonly firstMs: number;

  constructor(
    private readonly chainId: number,
    private readonly clock: Clock,
    readonly blockMs: number,
  ) {
    this.firstMs = clock.now().getTime() - PAST_MS;
  }

  newest(): number {
    return this.numberAt(this.clock.now().getTime());
  }

  numberAt(instantMs: number): number {
    return Math.floor((instantMs - this.firstMs) / this.blockMs);
  }

  block(number: number): Block {
    return {
      number,
      hash: this.hash(number),
      parentHash: this.hash(number - 1),
      timestamp: Math.floor((this.firstMs + number * this.blockMs) / 1000),
    };
  }

  hash(number: number): Hex {
    return keccak256(stringToHex(`block ${this.chainId} ${number}`));
  }
}

interface ChainOptions {
  chainId: number;
  asset: Address;
  /** Name and version of the token. */
  domain: { name: string; version: string };
  clock: Clock;
  blockMs: number;
}

interface Sending {
  submittedBy: Submitter;
  /** 0: into the newest block; null: it waits until `include` is called. */
  includedAfterMs: number | null;
  /** The transaction lands and is reverted, whatever the token says. */
  reverts?: boolean;
}

interface Waiting {
  transaction: Transaction;
  dueMs: number | null;
  reverts: boolean;
}

/** One token on a chain of its own: transactions, the blocks they are in, and what they changed. */
export class TokenChain {
  readonly token = new Token();
  readonly blocks: Blocks;
  readonly chainId: number;
  readonly asset: Address;
  readonly domain: { name: string; version: string };
  private readonly clock: Clock;
  private readonly transactions = new Map<Hex, Transaction>();
  private readonly byBlock = new Map<number, Transaction[]>();
  private readonly waiting = new Map<Hex, Waiting>();
  private sent = 0;

  constructor({ chainId, asset, domain, clock, blockMs }: ChainOptions) {
    this.chainId = chainId;
    this.asset = asset;
    this.domain = domain;
    this.clock = clock;
    this.blocks = new Blocks(chainId, clock, blockMs);
  }

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }

  /** Why a transfer sent now would be reverted. */
  revertOf(authorization: Authorization): Revert | undefined {
    this.includeDue();
    return this.token.revertOf(authorization, this.nowSeconds());
  }

  balanceOf(wallet: Address): bigint {
    this.includeDue();
    return this.token.balanceOf(wallet);
  }

  /** @param atBlock as of the end of this block; later blocks are not looked at */
  isSpent(authorizer: Address, nonce: Hex, atBlock: number): boolean {
    this.includeDue();
    return this.token.isSpent(authorizer, nonce, atBlock);
  }

  send(transfer: Authorization, sending: Sending): Transaction {
    return this.sendAll([transfer], sending);
  }

  /** A multicall: one transaction, in which all transfers happen or none. */
  sendAll(
    transfers: readonly [Authorization | PlainTransfer, ...(Authorization | PlainTransfer)[]],
    { submittedBy, includedAfterMs, reverts = false }: Sending,
  ): Transaction {
    const [first] = transfers;
    const name = isAuthorization(first) ? first.nonce : 'plain';
    const transaction = this.add({ submittedBy, transfers }, first.from, name);
    const dueMs = includedAfterMs === null ? null : this.nowMs() + includedAfterMs;
    this.waiting.set(transaction.hash, { transaction, dueMs, reverts });
    this.includeDue();
    return transaction;
  }

  /** Cancels an authorization that was not used yet, as its payer. */
  cancel(authorizer: Address, nonce: Hex): Transaction {
    this.includeDue();
    const transaction = this.add({ submittedBy: 'third_party', transfers: [] }, authorizer, nonce);
    const reverted = this.token.isSpent(authorizer, nonce);
    const block = this.place(transaction, this.nowMs(), reverted ? [] : cancelEvents(authorizer, nonce), reverted);
    if (!reverted) this.token.spend(authorizer, nonce, block);
    return transaction;
  }

  /** Brings a waiting transaction into the newest block; one that landed before stays where it is. */
  include(hash: Hex): void {
    this.includeDue();
    const waiting = this.waiting.get(hash);
    if (waiting) this.land(waiting, this.nowMs());
  }

  drop(hash: Hex): void {
    this.waiting.delete(hash);
    this.transactions.delete(hash);
  }

  transaction(hash: Hex): Transaction | undefined {
    this.includeDue();
    return this.transactions.get(hash);
  }

  transactionsIn(block: number): readonly Transaction[] {
    this.includeDue();
    return this.byBlock.get(block) ?? [];
  }

  /** Every transaction that was sent, in order. */
  allTransactions(): Transaction[] {
    this.includeDue();
    return [...this.transactions.values()];
  }

  /** The chain has no timer: what became due since the last look lands where it would have landed then. */
  private includeDue(): void {
    if (this.waiting.size === 0) return;
    const due = [...this.waiting.values()].filter(({ dueMs }) => dueMs !== null && dueMs <= this.nowMs());
    due.sort((a, b) => a.dueMs! - b.dueMs!);
    for (const waiting of due) this.land(waiting, waiting.dueMs!);
  }

  private land({ transaction, reverts }: Waiting, atMs: number): void {
    this.waiting.delete(transaction.hash);
    const { transfers } = transaction;
    const reverted = reverts || !this.token.takesAll(transfers, Math.floor(atMs / 1000));
    const block = this.place(transaction, atMs, reverted ? [] : transfers.flatMap(transferEvents), reverted);
    if (!reverted) for (const transfer of transfers) this.token.transfer(transfer, block);
  }

  private place(transaction: Transaction, atMs: number, events: TokenEvent[], reverted: boolean): number {
    const block = this.blocks.numberAt(atMs);
    const included = this.byBlock.get(block) ?? [];
    const firstLog = included.reduce((count, { inclusion }) => count + inclusion!.events.length, 0);
    transaction.inclusion = {
      block,
      at: new Date(atMs),
      index: included.length,
      reverted,
      events: events.map((event, place) => ({ ...event, logIndex: firstLog + place })),
    };
    included.push(transaction);
    this.byBlock.set(block, included);
    return block;
  }

  /** Payer and nonce are in the hash, so that hashes do not come again after a restart. */
  private add(about: Pick<Transaction, 'submittedBy' | 'transfers'>, payer: Address, nonce: string): Transaction {
    const name = `${this.chainId} ${authorizationKey(payer, nonce)} ${++this.sent}`;
    const transaction = { ...about, hash: keccak256(stringToHex(name)), sentAt: this.clock.now(), inclusion: null };
    this.transactions.set(transaction.hash, transaction);
    return transaction;
  }

  private nowMs(): number {
    return this.clock.now().getTime();
  }
}

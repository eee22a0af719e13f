import type { Chain } from '@evenkeel/contracts';
import type { Clock } from '@evenkeel/kernel';
import { randomBytes } from 'node:crypto';
import { type Address, getAddress, type Hex, keccak256, stringToHex } from 'viem';
import {
  type Authorization,
  authorizationEvent,
  authorizationKey,
  isAuthorization,
  type TokenEvent,
  type Transfer,
  transferEvents,
} from './token';

/** How far the chain reaches back before the start, so that a reader may look behind the very first payment. */
const PAST_MS = 600_000;

/** 1,000 USDC in atomic units: what a wallet holds before anything is known about it. */
const UNSEEN_BALANCE = 1_000_000_000n;

/** Why the contract would revert a transfer. */
type Revert = 'valid_after' | 'valid_before' | 'nonce_used' | 'balance';

type Submitter = 'facilitator' | 'third_party';

/** How a transaction goes. Without one: into the newest block, at once. */
export interface Delivery {
  /** It waits for so long; null: until `include` is called. */
  includedAfterMs?: number | null;
  /** It lands and is reverted, whatever the token says. */
  reverts?: boolean;
}

export interface Transaction {
  readonly hash: Hex;
  readonly submittedBy: Submitter;
  /** In the order of their events: one, or many in a multicall; none in a cancellation. */
  readonly transfers: readonly Transfer[];
  readonly dueMs: number | null;
  /** Where it landed; null while it waits. */
  inclusion: { block: number; at: Date; index: number; reverted: boolean; events: TokenEvent[] } | null;
}

/**
 * The stablecoin on a chain of its own: balances, authorizations, transactions and the blocks they are in. A block comes
 * every `blockMs`, by the clock alone: numbers, hashes and times follow from the moment of start and need no timer. The
 * newest block is open: transactions join it until the next one begins.
 */
export class TokenChain {
  readonly asset: Address;
  private readonly firstMs: number;
  private readonly balances = new Map<string, bigint>();
  /** Block in which an authorization was used or cancelled. */
  private readonly spentIn = new Map<string, number>();
  private readonly transactions = new Map<Hex, Transaction>();
  private readonly byBlock = new Map<number, Transaction[]>();
  /** Transactions in no block yet, and whether they will be reverted. */
  private readonly waiting = new Map<Transaction, boolean>();

  constructor(
    readonly chain: Chain,
    private readonly clock: Clock,
    readonly blockMs: number,
  ) {
    this.asset = getAddress(chain.usdc.address);
    this.firstMs = this.nowMs() - PAST_MS;
  }

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1000);
  }

  newestBlock(): number {
    return this.blockAt(this.nowMs());
  }

  hashOfBlock(number: number): Hex {
    return keccak256(stringToHex(`block ${this.chain.chainId} ${number}`));
  }

  /** Seconds since 1970. */
  timeOfBlock(number: number): number {
    return Math.floor((this.firstMs + number * this.blockMs) / 1000);
  }

  /** Why a transfer sent now would be reverted. */
  revertOf(authorization: Authorization): Revert | undefined {
    this.includeDue();
    return this.revertAt(authorization, this.nowSeconds());
  }

  setBalance(wallet: Address, value: bigint): void {
    this.balances.set(wallet.toLowerCase(), value);
  }

  /** True for used and for cancelled, as of the end of a block, like `authorizationState` of the contract. */
  isSpent(authorizer: Address, nonce: Hex, atBlock: number): boolean {
    this.includeDue();
    return (this.spentIn.get(authorizationKey(authorizer, nonce)) ?? Infinity) <= atBlock;
  }

  /** One transaction, in which all transfers happen or none. */
  send(transfers: readonly Transfer[], how: Delivery & { submittedBy: Submitter }): Transaction {
    const { submittedBy, includedAfterMs = 0, reverts = false } = how;
    const dueMs = includedAfterMs === null ? null : this.nowMs() + includedAfterMs;
    const transaction = this.add({ submittedBy, transfers, dueMs });
    this.waiting.set(transaction, reverts);
    this.includeDue();
    return transaction;
  }

  /** Cancels an authorization as its payer; the contract refuses that for one that was used. */
  cancel(authorizer: Address, nonce: Hex): void {
    this.includeDue();
    const key = authorizationKey(authorizer, nonce);
    if (this.spentIn.has(key)) return;
    this.spentIn.set(key, this.newestBlock());
    const transaction = this.add({ submittedBy: 'third_party', transfers: [], dueMs: null });
    this.put(transaction, this.nowMs(), [authorizationEvent('AuthorizationCanceled', authorizer, nonce)]);
  }

  /** Brings a waiting transaction into the newest block; one that landed before stays where it is. */
  include(hash: Hex): void {
    const transaction = this.transaction(hash);
    if (transaction && this.waiting.has(transaction)) this.land(transaction, this.nowMs());
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

  private revertAt(transfer: Transfer, atSeconds: number): Revert | undefined {
    if (isAuthorization(transfer)) {
      if (BigInt(atSeconds) <= transfer.validAfter) return 'valid_after';
      if (BigInt(atSeconds) >= transfer.validBefore) return 'valid_before';
      if (this.spentIn.has(authorizationKey(transfer.from, transfer.nonce))) return 'nonce_used';
    }
    return this.balanceOf(transfer.from) < transfer.value ? 'balance' : undefined;
  }

  private balanceOf(wallet: Address): bigint {
    return this.balances.get(wallet.toLowerCase()) ?? UNSEEN_BALANCE;
  }

  /** The chain has no timer: what became due since the last look lands where it would have landed then. */
  private includeDue(): void {
    if (this.waiting.size === 0) return;
    const due = [...this.waiting.keys()].filter(({ dueMs }) => dueMs !== null && dueMs <= this.nowMs());
    for (const waiting of due.sort((a, b) => a.dueMs! - b.dueMs!)) this.land(waiting, waiting.dueMs!);
  }

  /** All transfers happen, or none. */
  private land(transaction: Transaction, atMs: number): void {
    const { transfers } = transaction;
    const reverts = transfers.some((transfer) => this.revertAt(transfer, Math.floor(atMs / 1000)));
    if (this.waiting.get(transaction) || reverts) {
      this.put(transaction, atMs, null);
    } else {
      for (const transfer of transfers) this.take(transfer, atMs);
      this.put(transaction, atMs, transfers.flatMap(transferEvents));
    }
    this.waiting.delete(transaction);
  }

  private take(transfer: Transfer, atMs: number): void {
    const { from, to, value } = transfer;
    this.setBalance(from, this.balanceOf(from) - value);
    this.setBalance(to, this.balanceOf(to) + value);
    if (isAuthorization(transfer)) this.spentIn.set(authorizationKey(from, transfer.nonce), this.blockAt(atMs));
  }

  /** @param events null when it was reverted */
  private put(transaction: Transaction, atMs: number, events: readonly TokenEvent[] | null): void {
    const block = this.blockAt(atMs);
    const included = this.byBlock.get(block) ?? [];
    const firstLog = included.reduce((count, { inclusion }) => count + inclusion!.events.length, 0);
    transaction.inclusion = {
      block,
      at: new Date(atMs),
      index: included.length,
      reverted: events === null,
      events: (events ?? []).map((event, place) => ({ ...event, logIndex: firstLog + place })),
    };
    included.push(transaction);
    this.byBlock.set(block, included);
  }

  /** Hashes do not come again after a restart. */
  private add(about: Omit<Transaction, 'hash' | 'inclusion'>): Transaction {
    const transaction = { ...about, hash: `0x${randomBytes(32).toString('hex')}` as const, inclusion: null };
    this.transactions.set(transaction.hash, transaction);
    return transaction;
  }

  private blockAt(instantMs: number): number {
    return Math.floor((instantMs - this.firstMs) / this.blockMs);
  }

  private nowMs(): number {
    return this.clock.now().getTime();
  }
}

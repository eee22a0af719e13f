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
export type Revert = 'valid_after' | 'valid_before' | 'nonce_used' | 'balance';

export type Submitter = 'facilitator' | 'third_party';

export interface Sending {
  submittedBy: Submitter;
  /** By default into the newest block; null: it waits until `include` is called. */
  includedAfterMs?: number | null;
  /** The transaction lands and is reverted, whatever the token says. */
  reverts?: boolean;
}

export interface Transaction {
  readonly hash: Hex;
  readonly submittedBy: Submitter;
  readonly sentAt: Date;
  /** In the order of their events: one, or many in a multicall; none in a cancellation. */
  readonly transfers: readonly Transfer[];
  readonly dueMs: number | null;
  readonly reverts: boolean;
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
  private readonly waiting = new Set<Transaction>();

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
  send(transfers: readonly Transfer[], { submittedBy, includedAfterMs = 0, reverts = false }: Sending): Transaction {
    const dueMs = includedAfterMs === null ? null : this.nowMs() + includedAfterMs;
    const transaction = this.add({ submittedBy, transfers, dueMs, reverts });
    this.waiting.add(transaction);
    this.includeDue();
    return transaction;
  }

  /** Cancels an authorization that was not used yet, as its payer. */
  cancel(authorizer: Address, nonce: Hex): void {
    this.includeDue();
    const key = authorizationKey(authorizer, nonce);
    const reverted = this.spentIn.has(key);
    const transaction = this.add({ submittedBy: 'third_party', transfers: [], dueMs: null, reverts: reverted });
    const events = reverted ? [] : [authorizationEvent('AuthorizationCanceled', authorizer, nonce)];
    this.put(transaction, this.nowMs(), events, reverted);
    if (!reverted) this.spentIn.set(key, this.newestBlock());
  }

  /** Brings a waiting transaction into the newest block; one that landed before stays where it is. */
  include(hash: Hex): void {
    const transaction = this.transaction(hash);
    if (transaction && this.waiting.has(transaction)) this.land(transaction, this.nowMs());
  }

  drop(hash: Hex): void {
    const transaction = this.transactions.get(hash);
    if (transaction) this.waiting.delete(transaction);
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

  private revertAt(transfer: Transfer, atSeconds: number): Revert | undefined {
    if (isAuthorization(transfer)) {
      if (BigInt(atSeconds) <= transfer.validAfter) return 'valid_after';
      if (BigInt(atSeconds) >= transfer.validBefore) return 'valid_before';
      if (this.spentIn.has(authorizationKey(transfer.from, transfer.nonce))) return 'nonce_used';
    }
    return this.balanceNow(transfer.from) < transfer.value ? 'balance' : undefined;
  }

  private balanceNow(wallet: Address): bigint {
    return this.balances.get(wallet.toLowerCase()) ?? UNSEEN_BALANCE;
  }

  private move(from: Address, to: Address, value: bigint): void {
    this.setBalance(from, this.balanceNow(from) - value);
    this.setBalance(to, this.balanceNow(to) + value);
  }

  /** The chain has no timer: what became due since the last look lands where it would have landed then. */
  private includeDue(): void {
    if (this.waiting.size === 0) return;
    const due = [...this.waiting].filter(({ dueMs }) => dueMs !== null && dueMs <= this.nowMs());
    for (const waiting of due.sort((a, b) => a.dueMs! - b.dueMs!)) this.land(waiting, waiting.dueMs!);
  }

  private land(transaction: Transaction, atMs: number): void {
    this.waiting.delete(transaction);
    const reverted = transaction.reverts || !this.takeAll(transaction.transfers, atMs);
    this.put(transaction, atMs, reverted ? [] : transaction.transfers.flatMap(transferEvents), reverted);
  }

  /** All transfers happen, one after the other, or none. */
  private takeAll(transfers: readonly Transfer[], atMs: number): boolean {
    const taken: Transfer[] = [];
    for (const transfer of transfers) {
      if (this.revertAt(transfer, Math.floor(atMs / 1000)) !== undefined) {
        for (const one of taken) {
          this.move(one.to, one.from, one.value);
          if (isAuthorization(one)) this.spentIn.delete(authorizationKey(one.from, one.nonce));
        }
        return false;
      }
      this.move(transfer.from, transfer.to, transfer.value);
      if (isAuthorization(transfer)) {
        this.spentIn.set(authorizationKey(transfer.from, transfer.nonce), this.blockAt(atMs));
      }
      taken.push(transfer);
    }
    return true;
  }

  private put(transaction: Transaction, atMs: number, events: TokenEvent[], reverted: boolean): void {
    const block = this.blockAt(atMs);
    const included = this.byBlock.get(block) ?? [];
    const firstLog = included.reduce((count, { inclusion }) => count + inclusion!.events.length, 0);
    const placed = events.map((event, place) => ({ ...event, logIndex: firstLog + place }));
    transaction.inclusion = { block, at: new Date(atMs), index: included.length, reverted, events: placed };
    included.push(transaction);
    this.byBlock.set(block, included);
  }

  /** Hashes do not come again after a restart. */
  private add(about: Omit<Transaction, 'hash' | 'sentAt' | 'inclusion'>): Transaction {
    const hash = `0x${randomBytes(32).toString('hex')}` as const;
    const transaction = { ...about, hash, sentAt: this.clock.now(), inclusion: null };
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

import type { Address, Hex } from 'viem';
import type { Authorization } from './authorization';

/** Why the contract would revert a transfer. */
export type Revert = 'not_yet_valid' | 'expired' | 'nonce_used' | 'insufficient_balance' | 'blacklisted';

/** 1,000 USDC in atomic units: what a wallet holds before anything is known about it. */
const UNSEEN_BALANCE = 1_000_000_000n;

/** Balances and authorizations of one token, as its contract keeps them. */
export class Token {
  private readonly balances = new Map<string, bigint>();
  private readonly blacklist = new Set<string>();
  /** Block in which an authorization was used or cancelled. */
  private readonly spentIn = new Map<string, number>();

  balanceOf(wallet: Address): bigint {
    return this.balances.get(wallet.toLowerCase()) ?? UNSEEN_BALANCE;
  }

  setBalance(wallet: Address, value: bigint): void {
    this.balances.set(wallet.toLowerCase(), value);
  }

  block(wallet: Address): void {
    this.blacklist.add(wallet.toLowerCase());
  }

  /** True for used and for cancelled, like `authorizationState` of the contract. */
  isSpent(authorizer: Address, nonce: Hex, atBlock = Infinity): boolean {
    const block = this.spentIn.get(authorizationKey(authorizer, nonce));
    return block !== undefined && block <= atBlock;
  }

  /** @param atSeconds time of the block that would carry the transfer */
  revertOf(authorization: Authorization, atSeconds: number): Revert | undefined {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    if (BigInt(atSeconds) <= validAfter) return 'not_yet_valid';
    if (BigInt(atSeconds) >= validBefore) return 'expired';
    if (this.isSpent(from, nonce)) return 'nonce_used';
    if (this.isBlocked(from) || this.isBlocked(to)) return 'blacklisted';
    if (this.balanceOf(from) < value) return 'insufficient_balance';
    return undefined;
  }

  /** Moves the money; the caller has asked `revertOf` first. */
  transfer({ from, to, value, nonce }: Authorization, block: number): void {
    this.setBalance(from, this.balanceOf(from) - value);
    this.setBalance(to, this.balanceOf(to) + value);
    this.spend(from, nonce, block);
  }

  spend(authorizer: Address, nonce: Hex, block: number): void {
    this.spentIn.set(authorizationKey(authorizer, nonce), block);
  }

  private isBlocked(wallet: Address): boolean {
    return this.blacklist.has(wallet.toLowerCase());
  }
}

/** Payer and nonce name an authorization, in any letter case. */
export function authorizationKey(authorizer: string, nonce: string): string {
  return `${authorizer}:${nonce}`.toLowerCase();
}

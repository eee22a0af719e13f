import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem';

/** What the payer signs (EIP-3009, TransferWithAuthorization). Times are seconds since 1970, `value` is in atomic units. */
export interface Authorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

/** The part of the token contract that this chain answers for. */
export const tokenAbi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

export interface TokenEvent {
  topics: Hex[];
  data: Hex;
}

export type Submitter = 'facilitator' | 'third_party';

export interface Transaction {
  readonly hash: Hex;
  readonly submittedBy: Submitter;
  readonly sentAt: Date;
  /** Absent for a cancellation. */
  readonly transfer?: Authorization;
  /** Where it landed; null while it waits. */
  inclusion: Inclusion | null;
}

interface Inclusion {
  readonly block: number;
  readonly at: Date;
  /** Place in the block. */
  readonly index: number;
  readonly reverted: boolean;
  readonly events: readonly PlacedEvent[];
}

export interface PlacedEvent extends TokenEvent {
  /** Place among all events of the block. */
  readonly logIndex: number;
}

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

/** What a transfer with authorization emits, in the order of the contract. */
export function transferEvents({ from, to, value, nonce }: Authorization): TokenEvent[] {
  const used = encodeEventTopics({
    abi: tokenAbi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: from, nonce },
  });
  const moved = encodeEventTopics({ abi: tokenAbi, eventName: 'Transfer', args: { from, to } });
  return [
    { topics: used as Hex[], data: '0x' },
    { topics: moved as Hex[], data: encodeAbiParameters([{ type: 'uint256' }], [value]) },
  ];
}

export function cancelEvents(authorizer: Authorization['from'], nonce: Hex): TokenEvent[] {
  const args = { authorizer, nonce };
  const topics = encodeEventTopics({ abi: tokenAbi, eventName: 'AuthorizationCanceled', args });
  return [{ topics: topics as Hex[], data: '0x' }];
}

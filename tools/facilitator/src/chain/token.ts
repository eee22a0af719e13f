import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem';

/** Money moved by a plain call of the token, without an authorization; `value` is in atomic units. */
export interface PlainTransfer {
  from: Address;
  to: Address;
  value: bigint;
}

/** The members that the payer signs (EIP-3009, TransferWithAuthorization). Times are seconds since 1970. */
export interface Authorization extends PlainTransfer {
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
  /** In the order of their events: one, or many in a multicall; none in a cancellation. */
  readonly transfers: readonly (Authorization | PlainTransfer)[];
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
  /** @param spentIn block in which an authorization was used or cancelled */
  constructor(
    private readonly balances = new Map<string, bigint>(),
    private readonly blacklist = new Set<string>(),
    private readonly spentIn = new Map<string, number>(),
  ) {}

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
  revertOf(transfer: Authorization | PlainTransfer, atSeconds: number): Revert | undefined {
    const { from, to, value } = transfer;
    if (isAuthorization(transfer)) {
      if (BigInt(atSeconds) <= transfer.validAfter) return 'not_yet_valid';
      if (BigInt(atSeconds) >= transfer.validBefore) return 'expired';
      if (this.isSpent(from, transfer.nonce)) return 'nonce_used';
    }
    if (this.isBlocked(from) || this.isBlocked(to)) return 'blacklisted';
    if (this.balanceOf(from) < value) return 'insufficient_balance';
    return undefined;
  }

  /** Whether none of the transfers of one transaction would be reverted, one after the other. */
  takesAll(transfers: readonly (Authorization | PlainTransfer)[], atSeconds: number): boolean {
    const trial = new Token(new Map(this.balances), this.blacklist, new Map(this.spentIn));
    return transfers.every((transfer) => {
      const taken = trial.revertOf(transfer, atSeconds) === undefined;
      if (taken) trial.transfer(transfer, 0);
      return taken;
    });
  }

  /** Moves the money; the caller has asked `revertOf` first. */
  transfer(transfer: Authorization | PlainTransfer, block: number): void {
    const { from, to, value } = transfer;
    this.setBalance(from, this.balanceOf(from) - value);
    this.setBalance(to, this.balanceOf(to) + value);
    if (isAuthorization(transfer)) this.spend(from, transfer.nonce, block);
  }

  spend(authorizer: Address, nonce: Hex, block: number): void {
    this.spentIn.set(authorizationKey(authorizer, nonce), block);
  }

  private isBlocked(wallet: Address): boolean {
    return this.blacklist.has(wallet.toLowerCase());
  }
}

export function isAuthorization(transfer: Authorization | PlainTransfer): transfer is Authorization {
  return 'nonce' in transfer;
}

/** Payer and nonce name an authorization, in any letter case. */
export function authorizationKey(authorizer: string, nonce: string): string {
  return `${authorizer}:${nonce}`.toLowerCase();
}

/** The events of a transfer, in the order of the contract: the use of its authorization, if any, then the money. */
export function transferEvents(transfer: Authorization | PlainTransfer): TokenEvent[] {
  const { from, to, value } = transfer;
  const moved = encodeEventTopics({ abi: tokenAbi, eventName: 'Transfer', args: { from, to } });
  const money = { topics: moved as Hex[], data: encodeAbiParameters([{ type: 'uint256' }], [value]) };
  if (!isAuthorization(transfer)) return [money];
  const args = { authorizer: from, nonce: transfer.nonce };
  const used = encodeEventTopics({ abi: tokenAbi, eventName: 'AuthorizationUsed', args });
  return [{ topics: used as Hex[], data: '0x' }, money];
}

export function cancelEvents(authorizer: Authorization['from'], nonce: Hex): TokenEvent[] {
  const args = { authorizer, nonce };
  const topics = encodeEventTopics({ abi: tokenAbi, eventName: 'AuthorizationCanceled', args });
  return [{ topics: topics as Hex[], data: '0x' }];
}

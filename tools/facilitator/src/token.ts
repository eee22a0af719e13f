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

export type Transfer = Authorization | PlainTransfer;

/** The part of the token contract that this chain answers for. */
export const tokenAbi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

/** Types of the EIP-712 message that the payer signs. */
export const TRANSFER_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

export interface TokenEvent {
  topics: Hex[];
  data: Hex;
  /** Place among all events of the block. */
  logIndex?: number;
}

export function isAuthorization(transfer: Transfer): transfer is Authorization {
  return 'nonce' in transfer;
}

/** Payer and nonce name an authorization, in any letter case. */
export function authorizationKey(authorizer: string, nonce: string): string {
  return `${authorizer}:${nonce}`.toLowerCase();
}

/** The events of a transfer, in the order of the contract: the use of its authorization, if any, then the money. */
export function transferEvents(transfer: Transfer): TokenEvent[] {
  const { from, to, value } = transfer;
  const moved = encodeEventTopics({ abi: tokenAbi, eventName: 'Transfer', args: { from, to } });
  const money = { topics: moved as Hex[], data: encodeAbiParameters([{ type: 'uint256' }], [value]) };
  return isAuthorization(transfer) ? [authorizationEvent('AuthorizationUsed', from, transfer.nonce), money] : [money];
}

export function authorizationEvent(
  eventName: 'AuthorizationUsed' | 'AuthorizationCanceled',
  authorizer: Address,
  nonce: Hex,
): TokenEvent {
  const topics = encodeEventTopics({ abi: tokenAbi, eventName, args: { authorizer, nonce } });
  return { topics: topics as Hex[], data: '0x' };
}

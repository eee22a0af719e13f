import { encodeAbiParameters, encodeEventTopics, parseAbi, type Hex } from 'viem';
import type { Authorization } from './authorization';

/** The part of the token contract that this chain answers for. */
export const tokenAbi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

export interface TokenEvent {
  topics: Hex[];
  data: Hex;
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

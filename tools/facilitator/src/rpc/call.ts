import { decodeFunctionData, encodeFunctionResult, isAddress, isAddressEqual, isHex, type Hex } from 'viem';
import type { TokenChain } from '../chain/token-chain';
import { tokenAbi } from '../chain/events';
import { blockNumberOf } from './block-tag';
import { RpcError } from './rpc-error';

/** `eth_call` of the token. `authorizationState` is answered as of the block asked for, balances as of the newest one. */
export function call(chain: TokenChain, request: unknown, tag: unknown): Hex {
  const { to, data, input } = (request ?? {}) as Record<string, unknown>;
  const atBlock = blockNumberOf(chain, tag);
  if (typeof to !== 'string' || !isAddress(to, { strict: false })) throw RpcError.invalidParams('to');
  // An address without code answers any call with nothing.
  if (!isAddressEqual(to, chain.asset)) return '0x';

  const { functionName, args } = decode(data ?? input);
  if (functionName === 'balanceOf') {
    return encodeFunctionResult({ abi: tokenAbi, functionName, result: chain.balanceOf(args[0]) });
  }
  const result = chain.isSpent(args[0], args[1].toLowerCase() as Hex, atBlock);
  return encodeFunctionResult({ abi: tokenAbi, functionName, result });
}

function decode(data: unknown) {
  if (!isHex(data)) throw RpcError.invalidParams('data');
  try {
    return decodeFunctionData({ abi: tokenAbi, data });
  } catch {
    throw RpcError.reverted();
  }
}

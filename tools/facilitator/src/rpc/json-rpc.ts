import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  isAddress,
  isAddressEqual,
  isHex,
  numberToHex,
} from 'viem';
import { tokenAbi } from '../chain/token';
import type { TokenChain } from '../chain/token-chain';
import { blockNumberOf, getBlockByNumber } from './blocks';
import { getLogs, getTransactionReceipt } from './logs';
import { RpcError } from './rpc-error';

const METHODS: Record<string, (chain: TokenChain, params: unknown[]) => unknown> = {
  eth_chainId: (chain) => numberToHex(chain.chainId),
  eth_blockNumber: (chain) => numberToHex(chain.blocks.newest()),
  eth_getBlockByNumber: (chain, [tag]) => getBlockByNumber(chain, tag),
  eth_call: (chain, [request, tag]) => call(chain, request, tag),
  eth_getLogs: (chain, [filter]) => getLogs(chain, filter),
  eth_getTransactionReceipt: (chain, [hash]) => getTransactionReceipt(chain, hash),
};

interface RpcRequest {
  id: string | number | null;
  method: string;
  params: unknown[];
}

/** Answers one request or a batch of them; errors are answers too, as JSON-RPC wants it. */
export function answerRpc(chain: TokenChain, body: unknown): unknown {
  if (!Array.isArray(body)) return answerOne(chain, body);
  return body.length > 0 ? body.map((request) => answerOne(chain, request)) : answerOne(chain, undefined);
}

function answerOne(chain: TokenChain, body: unknown): unknown {
  let id: RpcRequest['id'] = null;
  try {
    const request = readRequest(body);
    id = request.id;
    const method = Object.hasOwn(METHODS, request.method) ? METHODS[request.method] : undefined;
    if (!method) throw RpcError.methodNotFound();
    return { jsonrpc: '2.0', id, result: method(chain, request.params) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

function readRequest(body: unknown): RpcRequest {
  const { id = null, method, params = [] } = (body ?? {}) as Record<string, unknown>;
  const hasId = id === null || typeof id === 'string' || typeof id === 'number';
  if (!hasId || typeof method !== 'string' || !Array.isArray(params)) throw RpcError.invalidRequest();
  return { id, method, params };
}

/** `eth_call` of the token. `authorizationState` is answered as of the block asked for, balances as of the newest one. */
function call(chain: TokenChain, request: unknown, tag: unknown): Hex {
  const { to, data, input } = (request ?? {}) as Record<string, unknown>;
  const atBlock = blockNumberOf(chain, tag);
  if (typeof to !== 'string' || !isAddress(to, { strict: false })) throw RpcError.invalidParams('to');
  // An address without code answers any call with nothing.
  if (!isAddressEqual(to, chain.asset)) return '0x';

  const { functionName, args } = decode(data ?? input);
  if (functionName === 'balanceOf') {
    return encodeFunctionResult({ abi: tokenAbi, functionName, result: chain.balanceOf(args[0]) });
  }
  if (functionName !== 'authorizationState') {
    return encodeFunctionResult({ abi: tokenAbi, functionName, result: chain.domain[functionName] });
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

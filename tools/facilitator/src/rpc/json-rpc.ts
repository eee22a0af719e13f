import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  isAddress,
  isAddressEqual,
  isHex,
  numberToHex,
} from 'viem';
import { type TokenEvent, tokenAbi } from '../chain/token';
import type { TokenChain, Transaction } from '../chain/token-chain';

/** An error answer of JSON-RPC 2.0; codes are those of the protocol and of common nodes. */
class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const invalidParams = (name: string) => new RpcError(-32602, `invalid argument: ${name}`);

const METHODS = new Map<unknown, (chain: TokenChain, params: unknown[]) => unknown>([
  ['eth_chainId', ({ chain }) => numberToHex(chain.chainId)],
  ['eth_blockNumber', (chain) => numberToHex(chain.newestBlock())],
  ['eth_getBlockByNumber', (chain, [tag]) => getBlockByNumber(chain, tag)],
  ['eth_call', (chain, [request, tag]) => call(chain, request, tag)],
  ['eth_getLogs', (chain, [filter]) => getLogs(chain, filter)],
  ['eth_getTransactionReceipt', (chain, [hash]) => getTransactionReceipt(chain, hash)],
]);

/** Answers one request or a batch of them; errors are answers too, as JSON-RPC wants it. */
export function answerRpc(chain: TokenChain, body: unknown): unknown {
  if (Array.isArray(body)) return body.map((request) => answerRpc(chain, request));
  const { id = null, method, params } = (body ?? {}) as Record<string, unknown>;
  try {
    const answer = METHODS.get(method);
    if (!answer) throw new RpcError(-32601, 'the method does not exist or is not available');
    return { jsonrpc: '2.0', id, result: answer(chain, Array.isArray(params) ? params : []) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

const NEWEST = new Set<unknown>([undefined, null, 'latest', 'pending', 'safe', 'finalized']);

/** @returns the block number that a tag or a hex number means; it may lie beyond the newest block */
function blockNumberOf(chain: TokenChain, tag: unknown): number {
  if (NEWEST.has(tag)) return chain.newestBlock();
  if (tag === 'earliest') return 0;
  if (typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag)) return Number(tag);
  throw invalidParams('block number');
}

/** Null for a block that is not there yet. */
function getBlockByNumber(chain: TokenChain, tag: unknown): unknown {
  const number = blockNumberOf(chain, tag);
  if (number > chain.newestBlock()) return null;
  return {
    number: numberToHex(number),
    hash: chain.hashOfBlock(number),
    parentHash: chain.hashOfBlock(number - 1),
    timestamp: numberToHex(chain.timeOfBlock(number)),
    transactions: chain.transactionsIn(number).map(({ hash }) => hash),
    baseFeePerGas: '0x1',
    gasLimit: numberToHex(30_000_000),
    gasUsed: '0x0',
  };
}

/** A call of the token. `authorizationState` is answered as of the block asked for. */
function call(chain: TokenChain, request: unknown, tag: unknown): Hex {
  const { to, data, input } = (request ?? {}) as Record<string, unknown>;
  const atBlock = blockNumberOf(chain, tag);
  if (typeof to !== 'string' || !isAddress(to, { strict: false })) throw invalidParams('to');
  // An address without code answers any call with nothing.
  if (!isAddressEqual(to, chain.asset)) return '0x';

  const { functionName, args } = decode(data ?? input);
  if (functionName !== 'authorizationState') {
    return encodeFunctionResult({ abi: tokenAbi, functionName, result: chain.chain.usdc[functionName] });
  }
  return encodeFunctionResult({ abi: tokenAbi, functionName, result: chain.isSpent(args[0], args[1], atBlock) });
}

function decode(data: unknown) {
  if (!isHex(data)) throw invalidParams('data');
  try {
    return decodeFunctionData({ abi: tokenAbi, data });
  } catch {
    throw new RpcError(3, 'execution reverted');
  }
}

/** Public nodes refuse wider ranges; so do we, so that a reader without steps is found out. */
const MAX_BLOCK_RANGE = 2000;

interface LogFilter {
  address?: string | string[] | null;
  topics?: (string | string[] | null)[] | null;
  fromBlock?: string;
  toBlock?: string;
}

/** By address, by topics (null, one, or a list of alternatives per position), by block range. */
function getLogs(chain: TokenChain, filter: unknown): unknown[] {
  if (typeof filter !== 'object' || filter === null) throw invalidParams('filter');
  const { address, topics, fromBlock, toBlock } = filter as LogFilter;
  const from = blockNumberOf(chain, fromBlock);
  const to = Math.min(blockNumberOf(chain, toBlock), chain.newestBlock());
  if (to - from > MAX_BLOCK_RANGE) throw invalidParams(`more than ${MAX_BLOCK_RANGE} blocks in one query`);
  const addresses = [address ?? chain.asset].flat();
  if (!addresses.some((one) => one.toLowerCase() === chain.asset.toLowerCase())) return [];
  const wanted = (topics ?? []).map((topic) => topic && [topic].flat().map((one) => one.toLowerCase()));
  const isWanted = ({ topics: of }: TokenEvent) =>
    wanted.every((some, place) => some === null || some.includes(of[place] ?? ''));

  const logs: unknown[] = [];
  for (let block = from; block <= to; block++) {
    for (const transaction of chain.transactionsIn(block)) logs.push(...logsOf(chain, transaction, isWanted));
  }
  return logs;
}

/** Null while the transaction waits, and for an unknown hash. */
function getTransactionReceipt(chain: TokenChain, hash: unknown): unknown {
  const transaction = chain.transaction(String(hash).toLowerCase() as Hex);
  if (!transaction?.inclusion) return null;
  const { block, index, reverted } = transaction.inclusion;
  return {
    transactionHash: transaction.hash,
    transactionIndex: numberToHex(index),
    blockNumber: numberToHex(block),
    blockHash: chain.hashOfBlock(block),
    from: `0x${'0'.repeat(40)}`,
    to: chain.asset.toLowerCase(),
    contractAddress: null,
    status: reverted ? '0x0' : '0x1',
    logs: logsOf(chain, transaction),
    type: '0x2',
    gasUsed: '0x0',
    cumulativeGasUsed: '0x0',
    effectiveGasPrice: '0x1',
  };
}

function logsOf(chain: TokenChain, { hash, inclusion }: Transaction, isWanted = (_: TokenEvent) => true): unknown[] {
  const { block, events, index } = inclusion!;
  return events.filter(isWanted).map(({ topics, data, logIndex }) => ({
    address: chain.asset.toLowerCase(),
    topics,
    data,
    blockNumber: numberToHex(block),
    blockHash: chain.hashOfBlock(block),
    transactionHash: hash,
    transactionIndex: numberToHex(index),
    logIndex: numberToHex(logIndex!),
    removed: false,
  }));
}

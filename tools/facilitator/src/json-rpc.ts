import { decodeFunctionData, encodeFunctionResult, type Hex, numberToHex } from 'viem';
import { type TokenEvent, tokenAbi } from './token';
import type { TokenChain, Transaction } from './token-chain';

/** An error answer of JSON-RPC 2.0; codes are those of the protocol and of common nodes. */
class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface TokenCall {
  to?: string;
  data?: Hex;
}

interface LogFilter {
  address?: string | string[] | null;
  topics?: (string | string[] | null)[] | null;
  fromBlock?: string;
  toBlock?: string;
}

const METHODS = new Map<unknown, (chain: TokenChain, params: unknown[]) => unknown>([
  ['eth_chainId', ({ chain }) => numberToHex(chain.chainId)],
  ['eth_blockNumber', (chain) => numberToHex(chain.newestBlock())],
  ['eth_getBlockByNumber', (chain, [tag]) => getBlockByNumber(chain, tag)],
  ['eth_call', (chain, [request, tag]) => call(chain, request ?? {}, tag)],
  ['eth_getLogs', (chain, [filter]) => getLogs(chain, filter ?? {})],
  ['eth_getTransactionReceipt', (chain, [hash]) => getTransactionReceipt(chain, hash)],
]);

/** Answers one request or a batch of them; errors are answers too, as JSON-RPC wants it. */
export function answerRpc(chain: TokenChain, body: unknown): object {
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

/** @returns the block of a hex number, which may lie beyond the newest one; of a tag such as `latest` the newest one */
function blockNumberOf(chain: TokenChain, tag: unknown): number {
  if (tag === 'earliest') return 0;
  return /^0x/.test(String(tag)) ? Number(tag) : chain.newestBlock();
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
  };
}

/** A call of the token. `authorizationState` is answered as of the block asked for. */
function call(chain: TokenChain, { to, data }: TokenCall, tag: unknown): Hex {
  // An address without code answers any call with nothing.
  if (to?.toLowerCase() !== chain.asset.toLowerCase()) return '0x';
  const { functionName, args } = decode(data);
  const result =
    functionName === 'authorizationState'
      ? chain.isSpent(args[0], args[1], blockNumberOf(chain, tag))
      : chain.chain.usdc[functionName];
  return encodeFunctionResult({ abi: tokenAbi, functionName, result });
}

function decode(data: Hex = '0x') {
  try {
    return decodeFunctionData({ abi: tokenAbi, data });
  } catch {
    throw new RpcError(3, 'execution reverted');
  }
}

/** Public nodes refuse wider ranges; so do we, so that a reader without steps is found out. */
const MAX_BLOCK_RANGE = 2000;

/** By address, by topics (null, one, or a list of alternatives per position), by block range. */
function getLogs(chain: TokenChain, { address, topics, fromBlock, toBlock }: LogFilter): unknown[] {
  const from = blockNumberOf(chain, fromBlock);
  const to = Math.min(blockNumberOf(chain, toBlock), chain.newestBlock());
  if (to - from > MAX_BLOCK_RANGE) throw new RpcError(-32602, `more than ${MAX_BLOCK_RANGE} blocks in one query`);
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
    status: reverted ? '0x0' : '0x1',
    logs: logsOf(chain, transaction),
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

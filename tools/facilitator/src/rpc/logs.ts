import { numberToHex } from 'viem';
import type { TokenChain } from '../chain/token-chain';
import type { PlacedEvent, Transaction } from '../chain/token';
import { ANY_LOGS, blockNumberOf, ZERO_ADDRESS } from './blocks';
import { RpcError } from './rpc-error';

/** Public nodes refuse wider ranges; so do we, so that a reader without steps is found out. */
const MAX_BLOCK_RANGE = 2000;

/** One position of the filter: any topic, or one of these (lower case). */
type TopicFilter = null | Set<string>;

/** `eth_getLogs`: by address, by topics (null, one, or a list of alternatives per position), by block range. */
export function getLogs(chain: TokenChain, filter: unknown): unknown[] {
  if (typeof filter !== 'object' || filter === null) throw RpcError.invalidParams('filter');
  const { address, topics, fromBlock, toBlock, blockHash } = filter as Record<string, unknown>;
  if (blockHash !== undefined) throw RpcError.invalidParams('blockHash is not supported, give a range');
  if (!includesToken(chain, address)) return [];
  const wanted = topicFilters(topics);
  const [from, to] = range(chain, fromBlock, toBlock);

  const logs: unknown[] = [];
  for (let block = from; block <= to; block++) {
    for (const transaction of chain.transactionsIn(block)) {
      logs.push(...logsOf(chain, transaction, (event) => matches(event, wanted)));
    }
  }
  return logs;
}

/** `eth_getTransactionReceipt`: null while the transaction waits, and for an unknown hash. */
export function getTransactionReceipt(chain: TokenChain, hash: unknown): unknown {
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw RpcError.invalidParams('transaction hash');
  const transaction = chain.transaction(hash.toLowerCase() as Transaction['hash']);
  if (!transaction?.inclusion) return null;
  const { block, index, reverted } = transaction.inclusion;
  return {
    transactionHash: transaction.hash,
    transactionIndex: numberToHex(index),
    blockNumber: numberToHex(block),
    blockHash: chain.blocks.hash(block),
    from: ZERO_ADDRESS,
    to: chain.asset.toLowerCase(),
    contractAddress: null,
    status: reverted ? '0x0' : '0x1',
    logs: logsOf(chain, transaction),
    logsBloom: ANY_LOGS,
    type: '0x2',
    gasUsed: '0x0',
    cumulativeGasUsed: '0x0',
    effectiveGasPrice: '0x1',
  };
}

function logsOf(chain: TokenChain, transaction: Transaction, wanted = (_: PlacedEvent) => true): unknown[] {
  const { block, events, index } = transaction.inclusion!;
  return events.filter(wanted).map(({ topics, data, logIndex }) => ({
    address: chain.asset.toLowerCase(),
    topics,
    data,
    blockNumber: numberToHex(block),
    blockHash: chain.blocks.hash(block),
    transactionHash: transaction.hash,
    transactionIndex: numberToHex(index),
    logIndex: numberToHex(logIndex),
    removed: false,
  }));
}

function includesToken(chain: TokenChain, address: unknown): boolean {
  if (address === undefined || address === null) return true;
  const addresses = Array.isArray(address) ? address : [address];
  if (!addresses.every((one) => typeof one === 'string')) throw RpcError.invalidParams('address');
  return addresses.some((one) => one.toLowerCase() === chain.asset.toLowerCase());
}

function topicFilters(topics: unknown): TopicFilter[] {
  if (topics === undefined || topics === null) return [];
  if (!Array.isArray(topics) || topics.length > 4) throw RpcError.invalidParams('topics');
  return topics.map((topic) => {
    if (topic === null || (Array.isArray(topic) && topic.length === 0)) return null;
    const alternatives: unknown[] = Array.isArray(topic) ? topic : [topic];
    return new Set(alternatives.map(topicText));
  });
}

function topicText(topic: unknown): string {
  if (typeof topic !== 'string' || !/^0x[0-9a-f]{64}$/i.test(topic)) throw RpcError.invalidParams('topic');
  return topic.toLowerCase();
}

function range(chain: TokenChain, fromBlock: unknown, toBlock: unknown): [number, number] {
  const from = blockNumberOf(chain, fromBlock);
  const to = Math.min(blockNumberOf(chain, toBlock), chain.blocks.newest());
  if (to - from > MAX_BLOCK_RANGE) throw RpcError.invalidParams(`more than ${MAX_BLOCK_RANGE} blocks in one query`);
  return [from, to];
}

function matches({ topics }: PlacedEvent, wanted: TopicFilter[]): boolean {
  return wanted.every((filter, place) => filter === null || filter.has(topics[place] ?? ''));
}

import { numberToHex } from 'viem';
import type { TokenChain } from '../chain/token-chain';
import { RpcError } from './rpc-error';

const NEWEST = new Set<unknown>([undefined, null, 'latest', 'pending', 'safe', 'finalized']);
const ZERO_HASH = `0x${'0'.repeat(64)}`;
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** All bits set: says "may hold any log", so that no reader skips a block. */
export const ANY_LOGS = `0x${'f'.repeat(512)}`;

/** `eth_getBlockByNumber`: null for a block that is not there yet. */
export function getBlockByNumber(chain: TokenChain, tag: unknown): unknown {
  const number = blockNumberOf(chain, tag);
  if (number > chain.blocks.newest()) return null;
  const { hash, parentHash, timestamp } = chain.blocks.block(number);
  return {
    number: numberToHex(number),
    hash,
    parentHash,
    timestamp: numberToHex(timestamp),
    transactions: chain.transactionsIn(number).map((transaction) => transaction.hash),
    logsBloom: ANY_LOGS,
    miner: ZERO_ADDRESS,
    nonce: '0x0000000000000000',
    sha3Uncles: ZERO_HASH,
    mixHash: ZERO_HASH,
    stateRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    size: '0x0',
    gasLimit: numberToHex(30_000_000),
    gasUsed: '0x0',
    baseFeePerGas: '0x1',
    uncles: [],
  };
}

/** @returns the block number that a tag or a hex number means; it may lie beyond the newest block */
export function blockNumberOf(chain: TokenChain, tag: unknown): number {
  if (NEWEST.has(tag)) return chain.blocks.newest();
  if (tag === 'earliest') return 0;
  if (typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag)) return Number(tag);
  throw RpcError.invalidParams('block number');
}

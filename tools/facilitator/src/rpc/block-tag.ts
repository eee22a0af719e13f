import type { TokenChain } from '../chain/token-chain';
import { RpcError } from './rpc-error';

const NEWEST = new Set<unknown>([undefined, null, 'latest', 'pending', 'safe', 'finalized']);

/** @returns the block number that a tag or a hex number means; it may lie beyond the newest block */
export function blockNumberOf(chain: TokenChain, tag: unknown): number {
  if (NEWEST.has(tag)) return chain.blocks.newest();
  if (tag === 'earliest') return 0;
  if (typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag)) return Number(tag);
  throw RpcError.invalidParams('block number');
}

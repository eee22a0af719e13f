import { createPublicClient, http, parseAbi, type PublicClient } from 'viem';

export const TOKEN = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
/** A block with so many on top of it is taken for final. */
export const CONFIRMATIONS = 2n;

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1_024 * 1_024;

/** Bounded in time and in the size of an answer; follows no redirect. */
export function rpcClient(rpcUrl: string): PublicClient {
  const transport = http(rpcUrl, {
    timeout: TIMEOUT_MS,
    retryCount: 1,
    maxResponseBodySize: MAX_ANSWER_BYTES,
    fetchOptions: { redirect: 'error' },
  });
  return createPublicClient({ transport });
}

/** The newest block that is confirmed. */
export async function confirmedHead(client: PublicClient): Promise<{ number: bigint; timestamp: bigint }> {
  const latest = await client.getBlockNumber({ cacheTime: 0 });
  return client.getBlock({ blockNumber: latest > CONFIRMATIONS ? latest - CONFIRMATIONS : 0n });
}

/**
 * Bisection over block times: a chain makes blocks in order of time, not at fixed ones.
 * @returns the first block of this time or later, or the last one
 */
export async function firstBlockSince(client: PublicClient, seconds: number, last: bigint): Promise<bigint> {
  let low = 0n;
  let high = last;
  while (low < high) {
    const middle = (low + high) / 2n;
    const { timestamp } = await client.getBlock({ blockNumber: middle });
    if (Number(timestamp) < seconds) low = middle + 1n;
    else high = middle;
  }
  return low;
}

import { createPublicClient, http, parseAbi, type EIP1193RequestFn, type PublicClient, type Transport } from 'viem';

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

/**
 * The chain could not be read. Says why and at which host, no more: the messages of viem show the whole address, which may
 * hold a key, and what the node answered, which may repeat it.
 */
export class ChainUnreadable extends Error {
  override readonly name = 'ChainUnreadable';
  /** Where viem, which wraps it for some calls, looks for its sentence. */
  readonly shortMessage: string;

  constructor(host: string, why: string) {
    super(`The chain at ${host} cannot be read: ${why}.`);
    this.shortMessage = this.message;
  }
}

/** Bounded in time and in the size of an answer; follows no redirect. Its errors name no address. */
export function rpcClient(rpcUrl: string): PublicClient {
  const { host } = new URL(rpcUrl);
  const transport: Transport = http(rpcUrl, {
    timeout: TIMEOUT_MS,
    retryCount: 1,
    maxResponseBodySize: MAX_ANSWER_BYTES,
    fetchOptions: { redirect: 'error' },
  });
  return createPublicClient({ transport: (options) => namingHostOnly(transport(options), host) });
}

function namingHostOnly(transport: ReturnType<Transport>, host: string): ReturnType<Transport> {
  const request = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
    try {
      return await transport.request(...call);
    } catch (error) {
      throw new ChainUnreadable(host, causeOf(error));
    }
  };
  return { ...transport, request: request as EIP1193RequestFn };
}

function causeOf(error: unknown): string {
  const { name, status, code } = error as { name: string; status?: unknown; code?: unknown };
  if (typeof status === 'number') return `it answers ${status}`;
  if (typeof code === 'number') return `JSON-RPC error ${code}`;
  if (name === 'TimeoutError') return `no answer in ${TIMEOUT_MS} ms`;
  // Such as ECONNREFUSED, of an error further in.
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code: system } = cause as NodeJS.ErrnoException;
    if (typeof system === 'string') return system;
  }
  return name;
}

/** The newest block that is confirmed. */
export async function confirmedHead(client: PublicClient): Promise<{ number: bigint; timestamp: bigint }> {
  const latest = await client.getBlockNumber({ cacheTime: 0 });
  return client.getBlock({ blockNumber: latest > CONFIRMATIONS ? latest - CONFIRMATIONS : 0n });
}

/**
 * Bisection over block times: a chain makes blocks in order of time, not at fixed ones.
 * @param isLate asked before each block: a slow node takes minutes for the two dozen of them
 * @returns the first block of this time or later, or the last one; null when the time was up before it was found
 */
export async function firstBlockSince(
  client: PublicClient,
  seconds: number,
  last: bigint,
  isLate: () => boolean,
): Promise<bigint | null> {
  let low = 0n;
  let high = last;
  while (low < high) {
    if (isLate()) return null;
    const middle = (low + high) / 2n;
    const { timestamp } = await client.getBlock({ blockNumber: middle });
    if (Number(timestamp) < seconds) low = middle + 1n;
    else high = middle;
  }
  return low;
}

import {
  createPublicClient,
  getAddress,
  http,
  parseAbi,
  parseAbiItem,
  parseEventLogs,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { Chain, type AuthorizationOnChain, type ChainEvidence } from './chain.port';

const TOKEN = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const AUTHORIZATION_USED = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)');
const AUTHORIZATION_CANCELED = parseAbiItem(
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
);
const CONFIRMATIONS = 2n;
const BLOCKS_PER_QUERY = 2_000n;
const SEARCH_BACK_SECONDS = 60;
const TIMEOUT_MS = 5_000;

/** The chain behind `X402_RPC_URL`. */
export class RpcChain extends Chain {
  private readonly client: PublicClient;

  constructor(rpcUrl: string) {
    super();
    const transport = http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 1, fetchOptions: { redirect: 'error' } });
    this.client = createPublicClient({ transport });
  }

  override async evidence(authorization: AuthorizationOnChain): Promise<ChainEvidence> {
    const latest = await this.client.getBlockNumber({ cacheTime: 0 });
    const head = await this.client.getBlock({ blockNumber: latest > CONFIRMATIONS ? latest - CONFIRMATIONS : 0n });
    const isSpent = await this.client.readContract({
      address: getAddress(authorization.asset),
      abi: TOKEN,
      functionName: 'authorizationState',
      args: [getAddress(authorization.payer), authorization.nonce as Hex],
      blockNumber: head.number,
    });
    if (!isSpent) return { kind: 'unused', asOf: new Date(Number(head.timestamp) * 1_000) };

    const since = Math.floor(authorization.claimedAt.getTime() / 1_000) - SEARCH_BACK_SECONDS;
    return this.explain(authorization, await this.firstBlockSince(since, head.number), head.number);
  }

  private async explain(
    authorization: AuthorizationOnChain,
    firstBlock: bigint,
    lastBlock: bigint,
  ): Promise<ChainEvidence> {
    const filter = {
      address: getAddress(authorization.asset),
      args: { authorizer: getAddress(authorization.payer), nonce: authorization.nonce as Hex },
      strict: true,
    } as const;
    for (let fromBlock = firstBlock; fromBlock <= lastBlock; fromBlock += BLOCKS_PER_QUERY) {
      const lastOfQuery = fromBlock + BLOCKS_PER_QUERY - 1n;
      const range = { fromBlock, toBlock: lastOfQuery < lastBlock ? lastOfQuery : lastBlock };
      const [[used], [cancelled]] = await Promise.all([
        this.client.getLogs({ ...filter, ...range, event: AUTHORIZATION_USED }),
        this.client.getLogs({ ...filter, ...range, event: AUTHORIZATION_CANCELED }),
      ]);
      if (used) return this.transferIn(used.transactionHash, authorization);
      if (cancelled) return { kind: 'void', reason: 'authorization_canceled' };
    }
    return { kind: 'unexplained' };
  }

  private async transferIn(hash: Hex, authorization: AuthorizationOnChain): Promise<ChainEvidence> {
    const { payer, asset, payTo, priceMicros } = authorization;
    const { logs } = await this.client.getTransactionReceipt({ hash });
    const transfers = parseEventLogs({ abi: TOKEN, eventName: 'Transfer', logs });
    const toUs = transfers.find(
      ({ address, args }) =>
        same(address, asset) && same(args.from, payer) && same(args.to, payTo) && args.value === BigInt(priceMicros),
    );
    if (toUs) return { kind: 'transferred', transactionHash: hash.toLowerCase() };
    return { kind: 'void', reason: 'authorization_used_elsewhere' };
  }

  /** Bisection over block times: a chain makes blocks in order of time, not at fixed ones. */
  private async firstBlockSince(seconds: number, head: bigint): Promise<bigint> {
    let low = 0n;
    let high = head;
    while (low < high) {
      const middle = (low + high) / 2n;
      const { timestamp } = await this.client.getBlock({ blockNumber: middle });
      if (Number(timestamp) < seconds) low = middle + 1n;
      else high = middle;
    }
    return low;
  }
}

function same(one: Address, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

import { getAddress, parseEventLogs, type Address, type Hex, type PublicClient } from 'viem';
import { Chain, type AuthorizationOnChain, type ChainEvidence } from './chain.port';
import { confirmedHead, firstBlockSince, rpcClient, TOKEN } from './rpc-client';

const [, AUTHORIZATION_USED, AUTHORIZATION_CANCELED] = TOKEN;
const BLOCKS_PER_QUERY = 2_000n;
const SEARCH_BACK_SECONDS = 60;

/** The chain behind `X402_RPC_URL`. */
export class RpcChain extends Chain {
  private readonly client: PublicClient;

  constructor(rpcUrl: string) {
    super();
    this.client = rpcClient(rpcUrl);
  }

  override async evidence(authorization: AuthorizationOnChain): Promise<ChainEvidence> {
    const head = await confirmedHead(this.client);
    const isSpent = await this.client.readContract({
      address: getAddress(authorization.asset),
      abi: TOKEN,
      functionName: 'authorizationState',
      args: [getAddress(authorization.payer), authorization.nonce as Hex],
      blockNumber: head.number,
    });
    if (!isSpent) return { kind: 'unused', asOf: new Date(Number(head.timestamp) * 1_000) };

    const since = Math.floor(authorization.claimedAt.getTime() / 1_000) - SEARCH_BACK_SECONDS;
    return this.explain(authorization, await firstBlockSince(this.client, since, head.number), head.number);
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
}

function same(one: Address, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

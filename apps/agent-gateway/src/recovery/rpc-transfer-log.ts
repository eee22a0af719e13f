import {
  getAddress,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  type Hex,
  type Log,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { confirmedHead, firstBlockSince, rpcClient, TOKEN } from './rpc-client';
import { TransferLog, type Block, type TokenTransaction, type Transfer } from './transfer-log.port';

const [, , , TRANSFER] = TOKEN;

/** The chain behind `X402_RPC_URL`. */
export class RpcTransferLog extends TransferLog {
  private readonly client: PublicClient;

  constructor(rpcUrl: string) {
    super();
    this.client = rpcClient(rpcUrl);
  }

  override async head(): Promise<Block> {
    return blockOf(await confirmedHead(this.client));
  }

  override async block(number: bigint): Promise<Block> {
    return blockOf(await this.client.getBlock({ blockNumber: number }));
  }

  override async firstBlockSince(at: Date, head: Block): Promise<bigint> {
    if (head.at < at) return head.number + 1n;
    return firstBlockSince(this.client, Math.ceil(at.getTime() / 1_000), head.number);
  }

  override async transfersTo(payTo: string, asset: string, range: { from: bigint; to: bigint }): Promise<Transfer[]> {
    const logs = await this.client.getLogs({
      address: getAddress(asset),
      event: TRANSFER,
      args: { to: getAddress(payTo) },
      fromBlock: range.from,
      toBlock: range.to,
      strict: true,
    });
    return transfersIn(logs, asset);
  }

  override async transaction(hash: string, asset: string): Promise<TokenTransaction | null> {
    const receipt = await this.receipt(hash as Hex);
    if (!receipt) return null;
    const events = parseEventLogs({ abi: TOKEN, eventName: 'AuthorizationUsed', logs: receipt.logs });
    const used = events
      .filter(({ address }) => address.toLowerCase() === asset.toLowerCase())
      .map(({ args }) => ({ payer: args.authorizer.toLowerCase(), nonce: args.nonce.toLowerCase() }));
    return { block: receipt.blockNumber, used, transfers: transfersIn(receipt.logs, asset) };
  }

  private async receipt(hash: Hex): Promise<TransactionReceipt | null> {
    try {
      return await this.client.getTransactionReceipt({ hash });
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }
}

function blockOf({ number, timestamp }: { number: bigint; timestamp: bigint }): Block {
  return { number, at: new Date(Number(timestamp) * 1_000) };
}

function transfersIn(logs: Log[], asset: string): Transfer[] {
  return parseEventLogs({ abi: TOKEN, eventName: 'Transfer', logs })
    .filter(({ address }) => address.toLowerCase() === asset.toLowerCase())
    .map(({ transactionHash, args }) => ({
      transactionHash: transactionHash.toLowerCase(),
      payer: args.from.toLowerCase(),
      payTo: args.to.toLowerCase(),
      amountMicros: Number(args.value),
    }));
}

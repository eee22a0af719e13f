import {
  getAddress,
  TransactionReceiptNotFoundError,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { confirmedHead, firstBlockSince, rpcClient, TOKEN } from './rpc-client';
import { tokenTransaction, transferOf } from './rpc-chain';
import { TransferLog, type Block, type TokenTransaction, type Transfer } from './chain.port';

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

  override async firstBlockSince(at: Date, head: Block, isLate: () => boolean): Promise<bigint | null> {
    if (head.at < at) return head.number + 1n;
    return firstBlockSince(this.client, Math.ceil(at.getTime() / 1_000), head.number, isLate);
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
    return logs.map(transferOf);
  }

  override async transaction(hash: string, asset: string): Promise<TokenTransaction | null> {
    const receipt = await this.receipt(hash as Hex);
    return receipt && tokenTransaction(receipt, asset);
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

import {
  getAddress,
  type Hex,
  parseEventLogs,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { Authorization } from '../calls/payment';
import type { Block, ChainEvidence, PaymentOnChain, SearchLimits, TokenTransaction, Transfer } from './chain-evidence';
import { confirmedHead, firstBlockSince, rpcClient, TOKEN } from './rpc-client';

export function tokenTransaction(receipt: TransactionReceipt, asset: string): TokenTransaction {
  const events = parseEventLogs({ abi: TOKEN, logs: receipt.logs, eventName: ['AuthorizationUsed', 'Transfer'] });
  const ofToken = events.filter(({ address }) => address.toLowerCase() === asset.toLowerCase());
  const transfers = ofToken.flatMap((event) => (event.eventName === 'Transfer' ? [transferOf(event)] : []));
  const used = ofToken.flatMap((event) => {
    if (event.eventName !== 'AuthorizationUsed') return [];
    const { authorizer, nonce } = event.args;
    // The token announces the use and then, with its very next event, the transfer: any other one proves nothing.
    const transfer = transfers.find(({ logIndex }) => logIndex === event.logIndex + 1) ?? null;
    return [{ payer: authorizer.toLowerCase(), nonce: nonce.toLowerCase(), transfer }];
  });
  return { block: receipt.blockNumber, used, transfers };
}

interface TransferEvent {
  transactionHash: Hex;
  logIndex: number;
  args: { from: Hex; to: Hex; value: bigint };
}

export function transferOf({ transactionHash, logIndex, args }: TransferEvent): Transfer {
  return {
    transactionHash: transactionHash.toLowerCase(),
    logIndex,
    payer: args.from.toLowerCase(),
    payTo: args.to.toLowerCase(),
    amountMicros: Number(args.value),
  };
}

/** The transfer that the authorization of this payment made in the transaction; null when it made none, or another one. */
export function ownTransfer({ used }: TokenTransaction, payment: PaymentOnChain): Transfer | null {
  const { payer, nonce, priceMicros, authorization } = payment;
  const { to } = JSON.parse(authorization) as Authorization;
  const transfer = used.find((one) => one.payer === payer && one.nonce === nonce)?.transfer ?? null;
  const isTheirs =
    transfer?.payer === payer && transfer.payTo === to.toLowerCase() && transfer.amountMicros === priceMicros;
  return isTheirs ? transfer : null;
}

const [, AUTHORIZATION_USED, AUTHORIZATION_CANCELED, TRANSFER] = TOKEN;
const BLOCKS_PER_QUERY = 2_000n;
/** The claim's time is that of a replica, whose clock may be minutes ahead of the chain. */
const SEARCH_BACK_SECONDS = 660;
/** Ten minutes of blocks, which are searched again: behind one address are nodes that have not seen the newest yet. */
const RECENT_BLOCKS = 300n;
const UNLIMITED: SearchLimits = { searchedTo: null, maxBlocks: 2n ** 62n, isLate: () => false };

/** The chain on which payments settle, behind `X402_RPC_URL`. Every method throws when it cannot be read, or not to the end. */
export class Chain {
  private readonly client: PublicClient;

  constructor(rpcUrl: string) {
    this.client = rpcClient(rpcUrl);
  }

  /** @param limits of the search for its use; without them it goes to the end */
  async evidence(payment: PaymentOnChain, limits = UNLIMITED): Promise<ChainEvidence> {
    const head = await confirmedHead(this.client);
    const isSpent = await this.client.readContract({
      address: getAddress(payment.asset),
      abi: TOKEN,
      functionName: 'authorizationState',
      args: [getAddress(payment.payer), payment.nonce as Hex],
      blockNumber: head.number,
    });
    if (!isSpent) return { kind: 'unused', asOf: new Date(Number(head.timestamp) * 1_000) };
    return this.explain(payment, head.number, limits);
  }

  private async explain(payment: PaymentOnChain, head: bigint, limits: SearchLimits): Promise<ChainEvidence> {
    const { searchedTo, maxBlocks, isLate } = limits;
    const since = Math.floor(payment.createdAt.getTime() / 1_000) - SEARCH_BACK_SECONDS;
    const first = searchedTo === null ? await firstBlockSince(this.client, since, head, isLate) : searchedTo + 1n;
    if (first === null) return { kind: 'unexplained', searched: { to: null, all: false } };
    const last = min(first + maxBlocks - 1n, head);
    const filter = {
      address: getAddress(payment.asset),
      args: { authorizer: getAddress(payment.payer), nonce: payment.nonce as Hex },
      strict: true,
    } as const;
    let next = first;
    while (next <= last && !isLate()) {
      const toBlock = min(next + BLOCKS_PER_QUERY - 1n, last);
      const range = { fromBlock: next, toBlock };
      const asked = Promise.all([
        this.client.getLogs({ ...filter, ...range, event: AUTHORIZATION_USED }),
        this.client.getLogs({ ...filter, ...range, event: AUTHORIZATION_CANCELED }),
      ]);
      // Blocks that were searched before the node failed are not searched again.
      const found = next > first && limits !== UNLIMITED ? await asked.catch(() => null) : await asked;
      if (!found) break;
      const [[used], [cancelled]] = found;
      if (used) return this.transferIn(used.transactionHash, payment);
      if (cancelled) return { kind: 'void', reason: 'authorization_canceled' };
      next = toBlock + 1n;
    }
    const recent = head - RECENT_BLOCKS;
    const to = min(next - 1n, recent < first ? first - 1n : recent);
    return { kind: 'unexplained', searched: { to, all: next > head } };
  }

  private async transferIn(hash: Hex, payment: PaymentOnChain): Promise<ChainEvidence> {
    const transaction = tokenTransaction(await this.client.getTransactionReceipt({ hash }), payment.asset);
    const isListed = transaction.used.some(({ payer, nonce }) => payer === payment.payer && nonce === payment.nonce);
    if (!isListed) throw new Error('The node has a receipt without the event that it listed.');
    const transfer = ownTransfer(transaction, payment);
    if (transfer) return { kind: 'transferred', transfer, block: transaction.block };
    return { kind: 'void', reason: 'authorization_used_elsewhere' };
  }

  /** The newest block that is confirmed. */
  async head(): Promise<Block> {
    return blockOf(await confirmedHead(this.client));
  }

  async block(number: bigint): Promise<Block> {
    return blockOf(await this.client.getBlock({ blockNumber: number }));
  }

  /** The first block of this time or later; the one after `head` when there is none, null when the time was up before. */
  async firstBlockSince(at: Date, head: Block, isLate: () => boolean): Promise<bigint | null> {
    if (head.at < at) return head.number + 1n;
    return firstBlockSince(this.client, Math.ceil(at.getTime() / 1_000), head.number, isLate);
  }

  /** @param range both ends are in it */
  async transfersTo(payTo: string, asset: string, range: { from: bigint; to: bigint }): Promise<Transfer[]> {
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

  /** Null when no block has it; it may not be confirmed yet. */
  async transaction(hash: string, asset: string): Promise<TokenTransaction | null> {
    try {
      return tokenTransaction(await this.client.getTransactionReceipt({ hash: hash as Hex }), asset);
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function blockOf({ number, timestamp }: { number: bigint; timestamp: bigint }): Block {
  return { number, at: new Date(Number(timestamp) * 1_000) };
}

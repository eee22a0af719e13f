import { parseEventLogs, type Hex, type TransactionReceipt } from 'viem';
import { TOKEN } from './rpc-client';
import type { TokenTransaction, Transfer } from './transfer-log.port';

/** What a transaction did to the token, by the events of its receipt. */
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

/** An authorization, and what it was to move. */
export interface Paid {
  payer: string;
  nonce: string;
  payTo: string;
  amountMicros: number;
}

/** The transfer that this authorization made in the transaction; null when it made none, or another one. */
export function ownTransfer({ used }: TokenTransaction, { payer, nonce, payTo, amountMicros }: Paid): Transfer | null {
  const transfer = used.find((one) => one.payer === payer && one.nonce === nonce)?.transfer ?? null;
  const isTheirs =
    transfer?.payer === payer && transfer.payTo === payTo.toLowerCase() && transfer.amountMicros === amountMicros;
  return isTheirs ? transfer : null;
}

/** A block that is confirmed. */
export interface Block {
  number: bigint;
  at: Date;
}

/** Money of the token that reached an address; addresses and hashes in lower case. */
export interface Transfer {
  transactionHash: string;
  /** Place of its event among all events of its block; with the hash it names the transfer. */
  logIndex: number;
  payer: string;
  payTo: string;
  amountMicros: number;
}

/** What one transaction did to the token. */
export interface TokenTransaction {
  block: bigint;
  /** Authorizations that it used up, each with the transfer that it made. */
  used: { payer: string; nonce: string; transfer: Transfer | null }[];
  transfers: Transfer[];
}

/** The chain as a list of transfers. Every method throws when it cannot be read, or not to the end. */
export abstract class TransferLog {
  /** The newest block that is confirmed. */
  abstract head(): Promise<Block>;
  abstract block(number: bigint): Promise<Block>;
  /** The first block of this time or later; the one after `head` when there is none, null when the time was up before. */
  abstract firstBlockSince(at: Date, head: Block, isLate: () => boolean): Promise<bigint | null>;
  /** @param range both ends are in it */
  abstract transfersTo(payTo: string, asset: string, range: { from: bigint; to: bigint }): Promise<Transfer[]>;
  /** Null when no block has it; it may not be confirmed yet. */
  abstract transaction(hash: string, asset: string): Promise<TokenTransaction | null>;
}

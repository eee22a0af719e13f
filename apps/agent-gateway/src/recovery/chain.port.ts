/** The chain's evidence of one authorization. */
export type ChainEvidence =
  /** It moved the price to the recipient. */
  | { kind: 'transferred'; transfer: Transfer; block: bigint }
  /** Cancelled by the payer, or spent on another recipient: it can never pay us. */
  | { kind: 'void'; reason: 'authorization_canceled' | 'authorization_used_elsewhere' }
  /** Neither used nor cancelled up to a confirmed block of this time. */
  | { kind: 'unused'; asOf: Date }
  /** Used, but the transaction was not found in the blocks searched. */
  | { kind: 'unexplained'; searched: Searched };

/** How far the blocks were searched for the use of an authorization. */
export interface Searched {
  /** Need not be searched again; null when the time was up before the search began. */
  to: bigint | null;
  /** Up to the newest confirmed block. */
  all: boolean;
}

/** For one check of many: eleven hours of blocks. */
export const BLOCKS_PER_LOOK = 20_000n;

/** The limits of one search. */
export interface SearchLimits {
  /** Earlier searches came to here. */
  searchedTo: bigint | null;
  maxBlocks: bigint;
  /** Asked before each further step. */
  isLate: () => boolean;
}

export interface AuthorizationOnChain {
  payer: string;
  nonce: string;
  asset: string;
  /** The recipient that the payer authorized: our address of that time, which may not be the present one. */
  payTo: string;
  priceMicros: number;
  /** By the clock of the replica that claimed it; no transaction of ours is older. */
  claimedAt: Date;
}

/** Read access to the chain on which payments settle; throws when it cannot be read. */
export abstract class Chain {
  /** @param limits of the search for its use; without them it goes to the end */
  abstract evidence(authorization: AuthorizationOnChain, limits?: SearchLimits): Promise<ChainEvidence>;
}

/** A block that is confirmed. */
export interface Block {
  number: bigint;
  at: Date;
}

/** Money of the token that reached an address; addresses and hashes in lower case. */
export interface Transfer {
  transactionHash: string;
  /** Index of its event among all events of its block; with the hash it names the transfer. */
  logIndex: number;
  payer: string;
  payTo: string;
  amountMicros: number;
}

/** The effects of one transaction on the token. */
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

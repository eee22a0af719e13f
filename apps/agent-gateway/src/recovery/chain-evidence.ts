import type { PaymentRow } from '../ledger/ledger.entities';

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

/** The members of a payment by which its authorization is found on the chain; the recipient is the one that its payer signed. */
export type PaymentOnChain = Pick<
  PaymentRow,
  'payer' | 'nonce' | 'asset' | 'priceMicros' | 'createdAt' | 'authorization'
>;

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

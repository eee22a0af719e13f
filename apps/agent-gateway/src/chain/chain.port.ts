/** What the chain shows of one authorization. */
export type ChainEvidence =
  /** The price reached the recipient in this transaction. */
  | { kind: 'transferred'; transactionHash: string }
  /** Cancelled by the payer, or spent on somebody else: it can never pay us. */
  | { kind: 'void'; reason: 'authorization_canceled' | 'authorization_used_elsewhere' }
  /** Neither used nor cancelled up to a confirmed block of this time. */
  | { kind: 'unused'; asOf: Date }
  /** Used, but the transaction was not found in the range searched. */
  | { kind: 'unexplained' };

export interface AuthorizationOnChain {
  payer: string;
  nonce: string;
  asset: string;
  /** Whom the payer authorized: our address of that time, which may not be the present one. */
  payTo: string;
  priceMicros: number;
  /** No transaction can be older: the search begins a minute before. */
  claimedAt: Date;
}

/** Read access to the chain on which payments settle; throws when it cannot be read. */
export abstract class Chain {
  abstract evidence(authorization: AuthorizationOnChain): Promise<ChainEvidence>;
}

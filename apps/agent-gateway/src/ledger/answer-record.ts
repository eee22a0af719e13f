import type { CreditOffer } from './credit-offer';

/** A 200 as the ledger keeps it: the body encrypted, and the call it belongs to. */
export interface AnswerRecord {
  callId: string;
  status: number;
  body: Buffer;
  engineVersion: string;
  /** Of the answer as it goes out without a credit. */
  receipt: string | null;
  expiresAt: Date;
  /** Issued with it when the wallet has accrued enough; null: not with this answer. */
  credit: CreditOffer | null;
}

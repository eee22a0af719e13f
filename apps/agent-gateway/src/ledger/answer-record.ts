import type { RebateTierName } from '@evenkeel/contracts';
import { readMicros } from '@evenkeel/platform/persistence';

/** A 200 as the ledger stores it: the body encrypted, and the call it belongs to. */
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

/** The secret of a credit in its three forms. */
export interface CreditToken {
  /** For the answer only. */
  clear: string;
  /** SHA-256, hex: what the ledger finds it by. */
  hash: string;
  /** Encrypted, for a replay of the answer. */
  sealed: Buffer;
}

/** A credit as the ledger writes it, if one is due. */
export interface CreditOffer {
  id: string;
  eventId: string;
  token: CreditToken;
  faceMicros: number;
  /** Null: never. */
  expiresAt: Date | null;
}

/** What the ledger says of a credit that it has issued. */
export interface IssuedCredit {
  /** Of the wallet, at that moment. */
  tier: RebateTierName;
  /** Left of the accrued rebate. */
  accruedAfterMicros: number;
}

/** The columns in which a statement returns the credit; null when none was due. */
export interface IssuedRow {
  credit_tier: RebateTierName | null;
  accrued_after: string | null;
}

export function issuedCredit({ credit_tier: tier, accrued_after: accruedAfter }: IssuedRow): IssuedCredit | null {
  return tier && accruedAfter !== null ? { tier, accruedAfterMicros: readMicros(accruedAfter) } : null;
}

import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';
import type { RebateTierName } from '@evenkeel/contracts';
import type { SecretKey } from '@evenkeel/platform/keys';
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

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const TAG = { authTagLength: TAG_BYTES };
const DRAWN_BYTES = 4_096;

/** Random bytes, never the same twice. Drawn in bulk: twelve cost the system as much as thousands. */
class RandomBytes {
  private drawn = Buffer.alloc(0);

  take(length: number): Buffer {
    if (this.drawn.length < length) this.drawn = randomFillSync(Buffer.alloc(DRAWN_BYTES));
    const taken = this.drawn.subarray(0, length);
    this.drawn = this.drawn.subarray(length);
    return taken;
  }
}

/**
 * Answers at rest: AES-256-GCM, bound to their payment, so that the row of one payment does not open as that of another.
 * Layout: length of kid (1 byte), kid, iv (12), tag (16), ciphertext. The first key encrypts, all of them decrypt.
 */
export class AnswerCipher {
  private readonly first: SecretKey;
  private readonly head: Buffer;
  private readonly random = new RandomBytes();

  constructor(private readonly keys: readonly [SecretKey, ...SecretKey[]]) {
    this.first = keys[0];
    const kid = Buffer.from(this.first.kid);
    this.head = Buffer.concat([Buffer.of(kid.length), kid]);
  }

  encrypt(paymentId: string, body: Buffer): Buffer {
    const iv = this.random.take(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.first.key, iv, TAG).setAAD(Buffer.from(paymentId));
    const ciphertext = cipher.update(body);
    const end = cipher.final();
    return Buffer.concat([this.head, iv, cipher.getAuthTag(), ciphertext, end]);
  }

  /** Null when the key is gone or the bytes were altered: the answer is then as good as expired. */
  decrypt(paymentId: string, stored: Buffer): Buffer | null {
    const kidEnd = 1 + (stored[0] ?? 0);
    const ivEnd = kidEnd + IV_BYTES;
    const tagEnd = ivEnd + TAG_BYTES;
    const kid = stored.subarray(1, kidEnd).toString();
    const key = this.keys.find((candidate) => candidate.kid === kid)?.key;
    if (!key || stored.length < tagEnd) return null;
    const decipher = createDecipheriv(ALGORITHM, key, stored.subarray(kidEnd, ivEnd), TAG)
      .setAAD(Buffer.from(paymentId))
      .setAuthTag(stored.subarray(ivEnd, tagEnd));
    try {
      return Buffer.concat([decipher.update(stored.subarray(tagEnd)), decipher.final()]);
    } catch {
      return null;
    }
  }
}

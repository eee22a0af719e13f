import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type RebateTierName, CreditIssued } from '@evenkeel/contracts';
import type { SecretKey } from '@evenkeel/platform/config';
import { readMicros, poolOf } from '@evenkeel/platform/persistence';
import { insertIntoOutbox } from '@evenkeel/platform/messaging';
import { currentTraceparent } from '@evenkeel/platform/observability';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type Repository } from 'typeorm';
import type { Claim } from './claim-payments';
import { tierNameSql } from './settle-statement';

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

/** An issued credit as the ledger has it. */
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

/**
 * Answers at rest: AES-256-GCM, bound to their payment, so that the row of one payment does not open as that of another.
 * Layout: length of kid (1 byte), kid, iv (12), tag (16), ciphertext. The first key encrypts, all of them decrypt.
 */
export class AnswerCipher {
  private readonly first: SecretKey;
  private readonly head: Buffer;

  constructor(private readonly keys: readonly [SecretKey, ...SecretKey[]]) {
    this.first = keys[0];
    const kid = Buffer.from(this.first.kid);
    this.head = Buffer.concat([Buffer.of(kid.length), kid]);
  }

  encrypt(paymentId: string, body: Buffer): Buffer {
    const iv = randomBytes(IV_BYTES);
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

/**
 * Marks a payment as served before it has settled, with its answer and its call.
 * @returns false when it was served before: another request has given the answer
 */
export async function recordUnsettledAnswer(
  tx: EntityManager,
  payment: Claim,
  answer: AnswerRecord,
  servedAt: Date,
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `WITH served AS (
       UPDATE payments SET served = true WHERE id = $1 AND NOT served RETURNING id
     ),
     answered AS (
       INSERT INTO payment_answers (payment_id, status, body, engine_version, expires_at, receipt)
       SELECT id, $2, $3, $4, $5, $10 FROM served
     )
     INSERT INTO calls (id, payment_id, endpoint, request_id, served_at, unsettled)
     SELECT $6, id, $7, $8, $9, true FROM served RETURNING id`,
    [
      payment.id,
      answer.status,
      answer.body,
      answer.engineVersion,
      answer.expiresAt,
      answer.callId,
      payment.endpoint,
      payment.requestId,
      servedAt,
      answer.receipt,
    ],
  );
  return rows.length === 1;
}

const CREDIT_EVENT = {
  id: '$7',
  topic: `'${CreditIssued.stream}'`,
  key: 'address',
  number: 'event_seq',
  type: `'${CreditIssued.type}'`,
  subject: '$3::uuid',
  occurredAt: '$5',
  payload: `$8::jsonb || jsonb_build_object('tier', tier)`,
  traceparent: '$18',
};
const RECORD_LATE = `
  WITH served AS (
    UPDATE payments SET served = true WHERE id = $1 AND state = 'settled' AND NOT served RETURNING id, payer
  ),
  wallet AS (
    UPDATE wallets w SET accrued_micros = w.accrued_micros - $2, event_seq = w.event_seq + 1
    FROM served s WHERE w.address = s.payer AND w.accrued_micros >= $2::bigint
    RETURNING w.address, w.accrued_micros, w.event_seq, ${tierNameSql('w.settled_micros')} AS tier
  ),
  issued AS (
    INSERT INTO credits (id, token_hash, payer, earned_by, face_micros, tier, accrued_after_micros, issued_at, expires_at)
    SELECT $3, $4, address, $1, $2, tier, accrued_micros, $5, $6 FROM wallet
  ),
  announced AS (
    ${insertIntoOutbox(CREDIT_EVENT, 'wallet')}
  ),
  answered AS (
    INSERT INTO payment_answers (payment_id, status, body, engine_version, expires_at, credit_token, receipt)
    SELECT id, $9, $10, $11, $12, CASE WHEN EXISTS (SELECT FROM wallet) THEN $13::bytea END,
      CASE WHEN NOT EXISTS (SELECT FROM wallet) THEN $17 END FROM served
  ),
  called AS (
    INSERT INTO calls (id, payment_id, endpoint, request_id, served_at) SELECT $14, id, $15, $16, $5 FROM served
  )
  SELECT w.tier AS credit_tier, w.accrued_micros AS accrued_after FROM served LEFT JOIN wallet w ON true`;

/**
 * Marks a settled payment as served, with its answer, its call, and the credit that is due by now.
 * @returns null when it was served before: another request has given the answer
 */
export async function recordLateAnswer(
  tx: EntityManager,
  payment: Claim,
  answer: AnswerRecord,
  servedAt: Date,
): Promise<{ credit: IssuedCredit | null } | null> {
  const { credit } = answer;
  const event: Omit<CreditIssued, 'tier'> | null = credit && {
    creditId: credit.id,
    wallet: payment.payer,
    faceMicros: credit.faceMicros,
    paymentId: payment.id,
    issuedAt: servedAt.toISOString(),
  };
  const [row] = await tx.query<[IssuedRow?]>(RECORD_LATE, [
    payment.id,
    credit?.faceMicros ?? null,
    credit?.id ?? null,
    credit?.token.hash ?? null,
    servedAt,
    credit?.expiresAt ?? null,
    credit?.eventId ?? null,
    JSON.stringify(event),
    answer.status,
    answer.body,
    answer.engineVersion,
    answer.expiresAt,
    credit?.token.sealed ?? null,
    answer.callId,
    payment.endpoint,
    payment.requestId,
    answer.receipt,
    currentTraceparent(),
  ]);
  return row ? { credit: issuedCredit(row) } : null;
}

export interface StoredReceipts {
  receipt: string;
  /** Of the answer without the token of its credit; null for one without a credit. */
  deliveredReceipt: string | null;
}

const STORE_RECEIPTS = `
  UPDATE payment_answers SET receipt = coalesce(receipt, $2), delivered_receipt = coalesce(delivered_receipt, $3)
  WHERE payment_id = $1 RETURNING receipt, delivered_receipt AS "deliveredReceipt"`;

/** Receipts of answers that were recorded without one. */
@Injectable()
export class StoreReceipts {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns those that count: the first that were stored */
  async orExisting(paymentId: string, { receipt, deliveredReceipt }: StoredReceipts): Promise<StoredReceipts> {
    const values = [paymentId, receipt, deliveredReceipt];
    const { rows } = await poolOf(this.dataSource).query<StoredReceipts>(STORE_RECEIPTS, values);
    // The answer was erased meanwhile: no request can ask for it again.
    return rows[0] ?? { receipt, deliveredReceipt };
  }
}

const SLICE_ROWS = 5_000;

/**
 * Erases answers whose time is over, in slices that each end within the time limit of a statement, however many there are.
 * @param isLate asked after each slice
 * @returns whether some are left
 */
export async function eraseExpired(
  answers: Repository<{ expiresAt: Date }>,
  now: Date,
  isLate: () => boolean,
): Promise<boolean> {
  for (;;) {
    const { tableName } = answers.metadata;
    const [, erased] = await answers.query<[unknown[], number]>(
      `DELETE FROM ${tableName} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${tableName} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now, SLICE_ROWS],
    );
    if (erased < SLICE_ROWS) return false;
    if (isLate()) return true;
  }
}

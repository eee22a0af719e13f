import { readMicros } from '@evenkeel/kernel';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { CreditIssued, rebateTierAt, type RebateTierName } from '@evenkeel/contracts';
import type { SecretKey } from '@evenkeel/platform/config';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type Repository } from 'typeorm';
import { announceInWallet, type Claim } from './claim-payments';
import { CreditRow, PaymentAnswerRow, PaymentRow } from './ledger.entities';

/** A 200 as the ledger stores it: the body encrypted, and the call it belongs to. */
export interface AnswerRecord {
  callId: string;
  body: Buffer;
  engineVersion: string;
  /** Of the answer as it goes out without a credit. */
  receipt: string | null;
  expiresAt: Date;
  /** Issued with it when the wallet has accrued enough; null: not with this answer. */
  credit: CreditOffer | null;
}

export interface CreditToken {
  /** For the answer only. */
  clear: string;
  /** SHA-256, hex: what the ledger finds it by. */
  hash: string;
  /** Encrypted, for a replay of the answer. */
  sealed: Buffer;
}

export interface CreditOffer {
  id: string;
  eventId: string;
  token: CreditToken;
  faceMicros: number;
  /** Null: never. */
  expiresAt: Date | null;
}

export interface IssuedCredit {
  /** Of the wallet, at that moment. */
  tier: RebateTierName;
  /** Left of the accrued rebate. */
  accruedAfterMicros: number;
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

interface Issued {
  credit: CreditOffer;
  issued: IssuedCredit;
}

/**
 * Marks a payment as served, with its answer and its call. The caller has locked its row and seen that it was not served.
 * @param unsettled whether the payment has not settled yet
 * @param issued null: no credit goes out with it
 */
export async function recordAnswer(
  tx: EntityManager,
  payment: Claim,
  answer: AnswerRecord,
  servedAt: Date,
  { unsettled, issued }: { unsettled: boolean; issued: Issued | null },
): Promise<void> {
  const { callId, body, engineVersion, expiresAt } = answer;
  await tx.update(PaymentRow, { id: payment.id }, { served: true });
  await tx.insert(PaymentAnswerRow, {
    paymentId: payment.id,
    status: 200,
    body,
    creditToken: issued?.credit.token.sealed ?? null,
    receipt: issued ? null : answer.receipt,
    engineVersion,
    expiresAt,
  });
  await tx.query(
    `INSERT INTO calls (id, payment_id, endpoint, request_id, served_at, unsettled) VALUES ($1, $2, $3, $4, $5, $6)`,
    [callId, payment.id, payment.endpoint, payment.requestId, servedAt, unsettled],
  );
}

/**
 * Marks a settled payment as served, with its answer, its call, and the credit that is due by now.
 * @returns null when it was served before: another request has given the answer
 */
export async function recordLateAnswer(
  tx: EntityManager,
  { id }: Claim,
  answer: AnswerRecord,
  servedAt: Date,
): Promise<{ credit: IssuedCredit | null } | null> {
  const where = { id, state: 'settled', served: false } as const;
  const payment = await tx.findOne(PaymentRow, { where, lock: { mode: 'pessimistic_write' } });
  if (!payment) return null;
  const issued = answer.credit && (await issueDue(tx, payment, answer.credit, servedAt));
  await recordAnswer(tx, payment, answer, servedAt, { unsettled: false, issued });
  return { credit: issued?.issued ?? null };
}

async function issueDue(
  tx: EntityManager,
  payment: Claim,
  credit: CreditOffer,
  issuedAt: Date,
): Promise<Issued | null> {
  const { id, token, faceMicros, expiresAt } = credit;
  const { id: paymentId, payer: wallet } = payment;
  const [[due]] = await tx.query<[[{ accrued_micros: string; settled_micros: string }?], number]>(
    `UPDATE wallets SET accrued_micros = accrued_micros - $2 WHERE address = $1 AND accrued_micros >= $2
     RETURNING accrued_micros, settled_micros`,
    [wallet, faceMicros],
  );
  if (!due) return null;
  const { tier } = rebateTierAt(readMicros(due.settled_micros));
  const accruedAfterMicros = readMicros(due.accrued_micros);
  const terms = { faceMicros, tier, accruedAfterMicros, issuedAt, expiresAt };
  await tx.insert(CreditRow, { id, tokenHash: token.hash, payer: wallet, earnedBy: paymentId, ...terms });
  const data: CreditIssued = {
    creditId: id,
    wallet,
    faceMicros,
    paymentId,
    tier,
    issuedAt: issuedAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
  await announceInWallet(tx, CreditIssued, wallet, { subject: id, occurredAt: issuedAt, data });
  return { credit, issued: { tier, accruedAfterMicros } };
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

import { CreditRedeemed } from '@evenkeel/contracts';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { insertIntoOutbox } from '@evenkeel/platform/messaging';
import { currentTraceparent } from '@evenkeel/platform/observability';
import { poolOf, readMicros } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface FoundCredit {
  id: string;
  /** The wallet that earned it. */
  payer: string;
  faceMicros: number;
  expired: boolean;
  redeemed: boolean;
}

const FIND = {
  name: 'find-credit',
  text: `
    SELECT id, payer, face_micros, expires_at, redeemed_at IS NOT NULL AS redeemed
    FROM credits WHERE token_hash = $1`,
};

interface Row {
  id: string;
  payer: string;
  face_micros: string;
  expires_at: Date | null;
  redeemed: boolean;
}

interface Redemption {
  creditId: string;
  /** The wallet that earned the credit. */
  wallet: string;
  faceMicros: number;
  priceMicros: number;
  costMicros: number;
  endpoint: string;
  requestId: string;
  /** Stored for a request that repeats this one. */
  answer: RedeemedAnswer;
}

export interface RedeemedAnswer {
  idempotencyKey: string | null;
  fingerprint: string;
  /** Encrypted. */
  body: Buffer;
  receipt: string | null;
  engineVersion: string;
  expiresAt: Date;
}

const EVENT = {
  id: '$12',
  topic: `'${CreditRedeemed.stream}'`,
  key: 'address',
  number: 'event_seq',
  type: `'${CreditRedeemed.type}'`,
  subject: '$1',
  occurredAt: '$2',
  payload: '$13',
  traceparent: '$15',
};
// One statement is one transaction: whatever fails in it leaves the credit unspent.
const REDEEM = {
  name: 'redeem-credit',
  text: `
  WITH redeemed AS (
    UPDATE credits SET redeemed_at = $2, call_id = $3, change_micros = face_micros - $4, fingerprint = $8
    WHERE id = $1 AND redeemed_at IS NULL RETURNING id, payer, change_micros
  ),
  called AS (
    INSERT INTO calls (id, credit_id, endpoint, request_id, served_at) SELECT $3, id, $5, $6, $2 FROM redeemed
  ),
  answered AS (
    INSERT INTO credit_answers (credit_id, idempotency_key, fingerprint, body, engine_version, expires_at, receipt)
    SELECT id, $7, $8, $9, $10, $11, $14 FROM redeemed
  ),
  wallet AS (
    UPDATE wallets w SET accrued_micros = w.accrued_micros + r.change_micros, event_seq = w.event_seq + 1
    FROM redeemed r WHERE w.address = r.payer RETURNING w.address, w.event_seq
  ),
  announced AS (
    ${insertIntoOutbox(EVENT, 'wallet')}
  )
  SELECT id FROM redeemed`,
};

/** Credits as their bearer spends them: found by their token, redeemed once. */
@Injectable()
export class RedeemableCredits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  async byTokenHash(hash: string): Promise<FoundCredit | null> {
    const { rows } = await poolOf(this.dataSource).query<Row>({ ...FIND, values: [hash] });
    const [row] = rows;
    if (!row) return null;
    const { id, payer, redeemed, expires_at: expiresAt } = row;
    const expired = expiresAt !== null && expiresAt <= this.clock.now();
    return { id, payer, faceMicros: readMicros(row.face_micros), expired, redeemed };
  }

  /**
   * Spends a credit on a call, with everything that becomes true by it.
   * @returns false when it was spent before
   */
  async redeem(redemption: Redemption): Promise<boolean> {
    const { answer } = redemption;
    const redeemedAt = this.clock.now();
    const values = [
      redemption.creditId,
      redeemedAt,
      uuidv7(redeemedAt),
      redemption.priceMicros,
      redemption.endpoint,
      redemption.requestId,
      answer.idempotencyKey,
      answer.fingerprint,
      answer.body,
      answer.engineVersion,
      answer.expiresAt,
      uuidv7(redeemedAt),
      JSON.stringify(eventOf(redemption, redeemedAt)),
      answer.receipt,
      currentTraceparent(),
    ];
    const { rowCount } = await poolOf(this.dataSource).query({ ...REDEEM, values });
    return rowCount === 1;
  }
}

function eventOf(redemption: Redemption, redeemedAt: Date): CreditRedeemed {
  const { creditId, wallet, endpoint, faceMicros, priceMicros, costMicros, requestId } = redemption;
  return {
    creditId,
    wallet,
    endpoint,
    priceMicros,
    changeMicros: faceMicros - priceMicros,
    attributedCostMicros: costMicros,
    redeemedAt: redeemedAt.toISOString(),
    requestId,
  };
}

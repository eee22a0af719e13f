import { CreditRedeemed } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface Redemption {
  creditId: string;
  /** The wallet that earned the credit. */
  wallet: string;
  faceMicros: number;
  priceMicros: number;
  costMicros: number;
  callId: string;
  endpoint: string;
  requestId: string;
  redeemedAt: Date;
  /** Kept for a request that repeats this one. */
  answer: KeptAnswer;
}

export interface KeptAnswer {
  idempotencyKey: string | null;
  fingerprint: string;
  /** Encrypted. */
  body: Buffer;
  receipt: string | null;
  engineVersion: string;
  expiresAt: Date;
}

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
    INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
    SELECT $12, '${CreditRedeemed.stream}', address, event_seq, '${CreditRedeemed.type}', $1, $2, $13 FROM wallet
  )
  SELECT id FROM redeemed`,
};

/** Spends a credit on a call, with everything that becomes true by it. */
@Injectable()
export class RedeemCredit {
  constructor(private readonly dataSource: DataSource) {}

  /** @returns false when it was spent before */
  async execute(redemption: Redemption): Promise<boolean> {
    const { answer } = redemption;
    const values = [
      redemption.creditId,
      redemption.redeemedAt,
      redemption.callId,
      redemption.priceMicros,
      redemption.endpoint,
      redemption.requestId,
      answer.idempotencyKey,
      answer.fingerprint,
      answer.body,
      answer.engineVersion,
      answer.expiresAt,
      uuidv7(redemption.redeemedAt),
      JSON.stringify(eventOf(redemption)),
      answer.receipt,
    ];
    const { rowCount } = await poolOf(this.dataSource).query({ ...REDEEM, values });
    return rowCount === 1;
  }
}

function eventOf({ redeemedAt, faceMicros, priceMicros, costMicros, ...redemption }: Redemption): CreditRedeemed {
  const { creditId, wallet, endpoint, requestId } = redemption;
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

import { CreditRedeemed } from '@evenkeel/contracts';
import { Clock, uuidv7 } from '@evenkeel/kernel';
import { insertIntoOutbox } from '@evenkeel/platform/messaging';
import { currentTraceparent } from '@evenkeel/platform/observability';
import { poolOf } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Call } from '../calls/call';
import { CreditRow } from './ledger.entities';

export interface RedeemedAnswer {
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
    @InjectRepository(CreditRow) private readonly credits: Repository<CreditRow>,
    private readonly clock: Clock,
  ) {}

  byTokenHash(tokenHash: string): Promise<CreditRow | null> {
    return this.credits.findOneBy({ tokenHash });
  }

  /** Spends a credit on a call. @returns false when it was spent before */
  async redeem(credit: CreditRow, call: Call, answer: RedeemedAnswer, costMicros: number): Promise<boolean> {
    const redeemedAt = this.clock.now();
    const { path: endpoint, priceMicros } = call.endpoint;
    const event: CreditRedeemed = {
      creditId: credit.id,
      wallet: credit.payer,
      endpoint,
      priceMicros,
      changeMicros: credit.faceMicros - priceMicros,
      attributedCostMicros: costMicros,
      redeemedAt: redeemedAt.toISOString(),
      requestId: call.requestId,
    };
    const values = [
      credit.id,
      redeemedAt,
      uuidv7(redeemedAt),
      priceMicros,
      endpoint,
      call.requestId,
      call.idempotencyKey,
      call.fingerprint,
      answer.body,
      answer.engineVersion,
      answer.expiresAt,
      uuidv7(redeemedAt),
      JSON.stringify(event),
      answer.receipt,
      currentTraceparent(),
    ];
    const { rowCount } = await poolOf(this.credits.manager.connection).query({ ...REDEEM, values });
    return rowCount === 1;
  }
}

import { CreditIssued } from '@evenkeel/contracts';
import type { EntityManager } from 'typeorm';
import type { AnswerRecord } from './answer-record';
import type { Claim } from './claim-payments';
import { issuedCredit, type IssuedCredit, type IssuedRow } from './credit-offer';
import { tierNameSql } from './tier-sql';

const RECORD = `
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
    INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
    SELECT $7, '${CreditIssued.stream}', address, event_seq, '${CreditIssued.type}', $3::uuid, $5,
      $8::jsonb || jsonb_build_object('tier', tier) FROM wallet
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
 * @returns null when it was served before: somebody else has given the answer
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
  const [row] = await tx.query<[IssuedRow?]>(RECORD, [
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
  ]);
  return row ? { credit: issuedCredit(row) } : null;
}

import type { EntityManager } from 'typeorm';
import type { AnswerRecord } from './answer-record';
import type { Claim } from './claim-payments';

/**
 * Marks a payment as served, with its answer and its call.
 * @returns false when it was served before: somebody else has given the answer
 */
export async function recordAnswer(
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
     INSERT INTO calls (id, payment_id, endpoint, request_id, served_at)
     SELECT $6, id, $7, $8, $9 FROM served RETURNING id`,
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

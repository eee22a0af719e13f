import { CreditIssued, PaymentSettled } from '@evenkeel/contracts';
import { statesLeftBy } from './payment-state';
import { tierNameSql, tierPercentSql } from './wallet-tiers';

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const mayBeSettled = (state: string) => `${state} IN (${quoted(statesLeftBy('settled'))})`;
const onLocked = (locked: 'SKIP LOCKED' | 'wait') => (locked === 'wait' ? '' : locked);

/**
 * State, wallet, rebate, credit, answer, call and events of settled payments commit together: one statement, one round
 * trip, one fsync for a whole batch.
 *
 * Payments are locked first, then their wallets in the order of their addresses, before anything is counted; a claim has
 * left a row for each wallet. What somebody else has locked is passed over, so a batch waits for nobody and is part of no
 * deadlock. Within a batch the payments of a wallet follow one another: each reaches its own tier and adds its own rebate. An
 * answer takes one credit with it when the rebate accrued up to there,
 * less the credits taken before it, fills one; with F full faces accrued at an answer, and n answers so far, that makes
 * n + min(0, least F - n up to here) credits, which a window can count.
 *
 * The rebate that is left follows from what was read under the lock, not from the row as the update finds it: when another
 * statement has changed the wallet since this one began, PostgreSQL checks the constraints of the table on a row made of
 * the old values first, and refuses a credit that the new ones pay for.
 * It returns the payments that it settled and those that were settled before; the others were passed over.
 *
 * @param rows the relation that is read from, with the columns of `record-settlements.ts`
 * @param locked what becomes of rows that somebody else has locked
 */
export const settleFrom = (rows: string, locked: 'SKIP LOCKED' | 'wait') => `
  WITH input AS (${rows}),
  payment AS (
    SELECT p.payer, p.state, i.* FROM input i JOIN payments p USING (id)
    FOR NO KEY UPDATE OF p ${onLocked(locked)}
  ),
  held AS (
    SELECT address, settled_micros, accrued_micros FROM wallets
    WHERE address IN (SELECT payer FROM payment WHERE ${mayBeSettled('state')})
    ORDER BY address FOR NO KEY UPDATE ${onLocked(locked)}
  ),
  settled AS (
    UPDATE payments p
    SET state = 'settled', transaction_hash = coalesce(i.transaction_hash, p.transaction_hash), settled_at = i.settled_at,
        reason = NULL, served = p.served OR i.call_id IS NOT NULL
    FROM payment i JOIN held h ON h.address = i.payer
    WHERE p.id = i.id AND ${mayBeSettled('p.state')}
    RETURNING i.*, p.price_micros, p.verified_at, p.endpoint, p.request_id, p.transaction_hash AS known_hash,
      h.settled_micros, h.accrued_micros, old.served AND old.state = 'settlement_failed' AS was_unpaid
  ),
  called AS (
    INSERT INTO calls (id, payment_id, endpoint, request_id, served_at)
    SELECT call_id, id, endpoint, request_id, settled_at FROM settled WHERE call_id IS NOT NULL
    ON CONFLICT (payment_id) DO NOTHING RETURNING payment_id
  ),
  spent AS (
    SELECT s.id, s.call_id, s.payer, s.verified_at, s.price_micros, s.face_micros, s.credit, s.settled_at, s.event_id,
      s.event, s.known_hash, s.was_unpaid, s.accrued_micros, c.payment_id IS NOT NULL AS answered,
      c.payment_id IS NOT NULL AND s.face_micros IS NOT NULL AS may_take,
      row_number() OVER in_order AS nth, s.settled_micros + (sum(s.price_micros) OVER in_order)::bigint AS spent_micros
    FROM settled s LEFT JOIN called c ON c.payment_id = s.id
    WINDOW in_order AS (PARTITION BY s.payer ORDER BY s.verified_at, s.id ROWS UNBOUNDED PRECEDING)
  ),
  earned AS (
    SELECT *, ${tierNameSql('spent_micros')} AS tier,
      price_micros * ${tierPercentSql('spent_micros')} / 100 AS rebate_micros
    FROM spent
  ),
  accrued AS (
    SELECT *, accrued_micros + (sum(rebate_micros) OVER in_order)::bigint AS gross_micros,
      count(*) FILTER (WHERE may_take) OVER in_order AS answers
    FROM earned WINDOW in_order AS (PARTITION BY payer ORDER BY verified_at, id ROWS UNBOUNDED PRECEDING)
  ),
  credited AS (
    SELECT *, answers + least(0, min(gross_micros / face_micros - answers) FILTER (WHERE may_take) OVER in_order) AS credits
    FROM accrued WINDOW in_order AS (PARTITION BY payer ORDER BY verified_at, id ROWS UNBOUNDED PRECEDING)
  ),
  counted AS (
    SELECT *, credits - lag(credits, 1, 0::bigint) OVER (PARTITION BY payer ORDER BY verified_at, id) AS takes
    FROM credited
  ),
  taken AS (
    SELECT *, credit::jsonb AS offer, gross_micros - credits * face_micros AS left_micros FROM counted WHERE takes = 1
  ),
  wallet AS (
    UPDATE wallets w SET
      settled_micros = w.settled_micros + t.price_micros,
      earned_micros = w.earned_micros + t.rebate_micros,
      accrued_micros = t.held_micros + t.rebate_micros - t.taken_micros,
      calls = w.calls + t.payments,
      unpaid_calls = w.unpaid_calls - t.were_unpaid,
      event_seq = w.event_seq + t.payments + t.credits,
      first_payment_at = least(w.first_payment_at, t.first_at),
      last_payment_at = greatest(w.last_payment_at, t.last_at)
    FROM (
      SELECT payer, min(accrued_micros) AS held_micros, sum(price_micros)::bigint AS price_micros, sum(rebate_micros)::bigint AS rebate_micros,
        coalesce(sum(face_micros) FILTER (WHERE takes = 1), 0)::bigint AS taken_micros,
        count(*) AS payments, count(*) FILTER (WHERE was_unpaid) AS were_unpaid, sum(takes)::bigint AS credits,
        min(verified_at) AS first_at, max(verified_at) AS last_at
      FROM counted GROUP BY payer
    ) t
    WHERE w.address = t.payer
    RETURNING w.address, w.event_seq - t.payments - t.credits AS seq_before
  ),
  answered AS (
    INSERT INTO payment_answers (payment_id, status, body, engine_version, expires_at, credit_token, receipt)
    SELECT s.id, s.answer_status, s.answer_body, s.engine_version, s.expires_at, decode(t.offer->>'token', 'base64'),
      CASE WHEN t.id IS NULL THEN s.receipt END
    FROM settled s LEFT JOIN taken t USING (id) WHERE s.call_id IS NOT NULL
    ON CONFLICT (payment_id) DO NOTHING
  ),
  resolved AS (
    DELETE FROM payment_checks c USING settled s WHERE c.payment_id = s.id
  ),
  issued AS (
    INSERT INTO credits (id, token_hash, payer, earned_by, face_micros, tier, accrued_after_micros, issued_at, expires_at)
    SELECT (offer->>'id')::uuid, offer->>'tokenHash', payer, id, face_micros, tier, left_micros, settled_at,
      (offer->>'expiresAt')::timestamptz
    FROM taken
  ),
  announced AS (
    INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload)
    SELECT event_id, '${PaymentSettled.stream}', payer, aggregate_seq, type, subject, settled_at, payload FROM (
      SELECT c.event_id, c.payer, w.seq_before + c.nth + c.credits - c.takes AS aggregate_seq,
        '${PaymentSettled.type}' AS type, c.id AS subject, c.settled_at,
        c.event::jsonb || jsonb_build_object('transactionHash', c.known_hash, 'tier', c.tier,
          'rebateMicros', c.rebate_micros) AS payload
      FROM counted c LEFT JOIN wallet w ON w.address = c.payer
      UNION ALL
      SELECT (t.offer->>'eventId')::uuid, t.payer, w.seq_before + t.nth + t.credits, '${CreditIssued.type}',
        (t.offer->>'id')::uuid, t.settled_at,
        jsonb_build_object('creditId', t.offer->'id', 'wallet', t.payer, 'faceMicros', t.face_micros, 'paymentId', t.id,
          'tier', t.tier, 'issuedAt', t.event::jsonb->'settledAt')
      FROM taken t LEFT JOIN wallet w ON w.address = t.payer
    ) event ORDER BY payer, aggregate_seq
  )
  SELECT c.id, true AS is_new, c.call_id, c.known_hash, c.answered, c.tier, t.tier AS credit_tier,
    t.left_micros AS accrued_after
  FROM counted c LEFT JOIN taken t USING (id)
  UNION ALL
  SELECT id, false, NULL, NULL, false, NULL, NULL, NULL FROM payment WHERE NOT ${mayBeSettled('state')}`;

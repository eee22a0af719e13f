import { CreditIssued, PaymentSettled, REBATE_TIERS } from '@evenkeel/contracts';
import { insertIntoOutbox } from '@evenkeel/platform/messaging';
import { statesLeftBy } from './payment-state';

const highestFirst = [...REBATE_TIERS].reverse();

/** SQL for a property of the tier at a lifetime spend. */
function byTier(spentMicros: string, valueOf: (tier: (typeof REBATE_TIERS)[number]) => string): string {
  const cases = highestFirst.map((tier) => `WHEN ${spentMicros} >= ${tier.fromMicros} THEN ${valueOf(tier)}`);
  return `CASE ${cases.join(' ')} END`;
}

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const mayBeSettled = (state: string) => `${state} IN (${quoted(statesLeftBy('settled'))})`;
const IN_ORDER = 'in_order AS (PARTITION BY payer ORDER BY verified_at, id ROWS UNBOUNDED PRECEDING)';

/**
 * Sums of the payments of a batch: CTEs from `held` to `counted`, a row per payment, and `total`, a row per wallet.
 * The payments of a wallet follow one another: each reaches its own tier and adds its own rebate. An answer takes one
 * credit with it when the rebate accrued up to there, less the credits taken before it, fills one; with F full faces
 * accrued at an answer, and n answers so far, that makes n + min(0, least F - n up to here) credits, which a window can
 * count. When a payment has two settlements, the first is taken, with its answer.
 */
const COUNTED = `
  single AS (
    SELECT DISTINCT ON (id) * FROM held WHERE ${mayBeSettled('state')}
  ),
  spent AS (
    SELECT *, row_number() OVER in_order AS nth, settled_micros + (sum(price_micros) OVER in_order)::bigint AS spent_micros
    FROM single WINDOW ${IN_ORDER}
  ),
  earned AS (
    SELECT *, ${byTier('spent_micros', ({ tier }) => `'${tier}'`)} AS tier,
      price_micros * ${byTier('spent_micros', ({ ratePercent }) => String(ratePercent))} / 100 AS rebate_micros
    FROM spent
  ),
  accrued AS (
    SELECT *, accrued_micros + (sum(rebate_micros) OVER in_order)::bigint AS gross_micros,
      answered AND face_micros IS NOT NULL AS may_take,
      count(*) FILTER (WHERE answered AND face_micros IS NOT NULL) OVER in_order AS answers
    FROM earned WINDOW ${IN_ORDER}
  ),
  credited AS (
    SELECT *, answers + least(0, min(gross_micros / face_micros - answers) FILTER (WHERE may_take) OVER in_order) AS credits
    FROM accrued WINDOW ${IN_ORDER}
  ),
  counted AS (
    SELECT *, credits - lag(credits, 1, 0::bigint) OVER (PARTITION BY payer ORDER BY verified_at, id) AS takes
    FROM credited
  ),
  total AS (
    SELECT payer, min(accrued_micros) AS held_micros, sum(price_micros)::bigint AS price_micros,
      sum(rebate_micros)::bigint AS rebate_micros, coalesce(sum(face_micros) FILTER (WHERE takes = 1), 0)::bigint AS taken_micros,
      count(*) AS payments, count(*) FILTER (WHERE was_unpaid) AS were_unpaid, sum(takes)::bigint AS credits,
      min(verified_at) AS first_at, max(verified_at) AS last_at
    FROM counted GROUP BY payer
  )`;

/** Each credit has the number after its payment. */
const EVENTS = `
      SELECT event_id, payer, event_seq + nth + credits - takes AS number, '${PaymentSettled.type}' AS type, id AS subject,
        settled_at,
        event::jsonb || jsonb_build_object('transactionHash', known_hash, 'served', was_served OR answered, 'tier', tier,
          'rebateMicros', rebate_micros) AS payload,
        traceparent
      FROM counted
      UNION ALL
      SELECT (offer->>'eventId')::uuid, payer, event_seq + nth + credits, '${CreditIssued.type}', (offer->>'id')::uuid,
        settled_at,
        jsonb_build_object('creditId', offer->'id', 'wallet', payer, 'faceMicros', face_micros, 'paymentId', id,
          'tier', tier, 'issuedAt', event::jsonb->'settledAt', 'expiresAt', offer->'expiresAt'), traceparent
      FROM taken
    `;
const EVENT_COLUMNS = {
  id: 'event_id',
  topic: `'${PaymentSettled.stream}'`,
  key: 'payer',
  number: 'number',
  type: 'type',
  subject: 'subject',
  occurredAt: 'settled_at',
  payload: 'payload',
  traceparent: 'traceparent',
};

/**
 * State, wallet, rebate, credit, answer, call and events of settled payments commit together: one statement, one round
 * trip, one fsync for a whole batch.
 *
 * Each payment is locked with its wallet, in the order of the wallets' addresses, before anything is counted; a claim has
 * left a row for each wallet. What another session has locked is passed over: a batch never waits, and is part of no
 * deadlock. What is written follows from what was read under the locks, not from the rows as the updates find them: when
 * another statement has changed a wallet since this one began, PostgreSQL checks the constraints of the table on a row made
 * of the old values first, and refuses a credit that the new ones pay for.
 * A payment whose hash comes without a transfer names one that has paid another payment: the unique key refuses it.
 * It returns the payments that it settled and those that were settled before; the others were passed over.
 *
 * @param rows the relation that is read from, with the columns of `record-settlements.ts`
 * @param locked whether rows that another session has locked are passed over
 */
export const settleFrom = (rows: string, locked: 'SKIP LOCKED' | 'wait') => `
  WITH input AS (${rows}),
  held AS (
    SELECT i.*, coalesce(i.transaction_hash, p.transaction_hash) AS known_hash, p.payer, p.chain_id, p.state, p.price_micros,
      p.verified_at, p.endpoint, p.request_id, p.served AS was_served, i.call_id IS NOT NULL AND NOT p.served AS answered,
      p.served AND p.state = 'settlement_failed' AS was_unpaid, w.settled_micros, w.accrued_micros, w.event_seq
    FROM input i JOIN payments p USING (id) JOIN wallets w ON w.address = p.payer
    ORDER BY w.address FOR NO KEY UPDATE OF p, w ${locked === 'wait' ? '' : locked}
  ),${COUNTED},
  taken AS (
    SELECT *, credit::jsonb AS offer, gross_micros - credits * face_micros AS left_micros FROM counted WHERE takes = 1
  ),
  settled AS (
    UPDATE payments p
    SET state = 'settled', transaction_hash = c.known_hash, settled_at = c.settled_at, reason = NULL,
        served = p.served OR c.answered
    FROM counted c WHERE p.id = c.id
  ),
  called AS (
    INSERT INTO calls (id, payment_id, endpoint, request_id, served_at)
    SELECT call_id, id, endpoint, request_id, settled_at FROM counted WHERE answered
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
    FROM total t WHERE w.address = t.payer
  ),
  stored AS (
    INSERT INTO payment_answers (payment_id, status, body, engine_version, expires_at, credit_token, receipt)
    SELECT id, 200, answer_body, engine_version, expires_at,
      CASE takes WHEN 1 THEN decode(credit::jsonb->>'token', 'base64') END, CASE takes WHEN 0 THEN receipt END
    FROM counted WHERE answered
  ),
  paid_by AS (
    INSERT INTO payment_transfers (chain_id, transaction_hash, log_index, payment_id)
    SELECT chain_id, known_hash, log_index, id FROM counted WHERE log_index IS NOT NULL
    UNION ALL
    SELECT chain_id, known_hash, t.log_index, id FROM counted c
    JOIN payment_transfers t USING (chain_id) WHERE c.log_index IS NULL AND t.transaction_hash = known_hash
  ),
  resolved AS (
    DELETE FROM payment_checks k USING counted c WHERE k.payment_id = c.id
  ),
  issued AS (
    INSERT INTO credits (id, token_hash, payer, earned_by, face_micros, tier, accrued_after_micros, issued_at, expires_at)
    SELECT (offer->>'id')::uuid, offer->>'tokenHash', payer, id, face_micros, tier, left_micros, settled_at,
      (offer->>'expiresAt')::timestamptz
    FROM taken
  ),
  announced AS (
    ${insertIntoOutbox(EVENT_COLUMNS, `(${EVENTS}) event ORDER BY payer, number`)}
  )
  SELECT id, true AS is_new, call_id, known_hash, answered, tier,
    CASE takes WHEN 1 THEN gross_micros - credits * face_micros END AS accrued_after
  FROM counted
  UNION ALL
  SELECT id, false, NULL, NULL, false, NULL, NULL FROM held WHERE NOT ${mayBeSettled('state')}`;

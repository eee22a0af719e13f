import { CreditIssued, CreditRedeemed } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import { queryPrepared } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';

export const CREDIT_EVENTS = [CreditIssued, CreditRedeemed] as const;

// Issue and redemption of a credit may come together, in either order, or twice: each counts when it was not known before.
const APPLY = `
  WITH published AS (
    SELECT "creditId" AS id, min(wallet) AS wallet, min("faceMicros") AS face_micros,
      (min("paymentId"::text))::uuid AS payment_id, min(tier) AS tier, min("issuedAt") AS issued_at,
      min("expiresAt") AS expires_at,
      min(endpoint) AS endpoint, min("priceMicros") AS price_micros, min("changeMicros") AS change_micros,
      min("attributedCostMicros") AS attributed_cost_micros, min("redeemedAt") AS redeemed_at,
      min("requestId") AS request_id
    FROM json_to_recordset($1::json) AS event (
      "creditId" uuid, wallet text, "faceMicros" bigint, "paymentId" uuid, tier text, "issuedAt" timestamptz,
      "expiresAt" timestamptz, endpoint text, "priceMicros" bigint, "changeMicros" bigint, "attributedCostMicros" bigint,
      "redeemedAt" timestamptz, "requestId" text
    )
    GROUP BY "creditId"
  ),
  written AS (
    INSERT INTO credits AS c (id, wallet, face_micros, payment_id, tier, issued_at, expires_at, endpoint,
      price_micros, change_micros, attributed_cost_micros, redeemed_at, request_id)
    SELECT * FROM published
    ON CONFLICT (id) DO UPDATE SET
      face_micros = coalesce(c.face_micros, excluded.face_micros),
      payment_id = coalesce(c.payment_id, excluded.payment_id), tier = coalesce(c.tier, excluded.tier),
      issued_at = coalesce(c.issued_at, excluded.issued_at), expires_at = coalesce(c.expires_at, excluded.expires_at),
      endpoint = coalesce(c.endpoint, excluded.endpoint),
      price_micros = coalesce(c.price_micros, excluded.price_micros),
      change_micros = coalesce(c.change_micros, excluded.change_micros),
      attributed_cost_micros = coalesce(c.attributed_cost_micros, excluded.attributed_cost_micros),
      redeemed_at = coalesce(c.redeemed_at, excluded.redeemed_at),
      request_id = coalesce(c.request_id, excluded.request_id)
    RETURNING new.*, new.issued_at IS NOT NULL AND old.issued_at IS NULL AS is_issue,
      new.redeemed_at IS NOT NULL AND old.redeemed_at IS NULL AS is_redemption,
      (new.issued_at IS NOT NULL AND new.redeemed_at IS NULL)::integer
        - (old.issued_at IS NOT NULL AND old.redeemed_at IS NULL)::integer AS opened
  ),
  daily AS (
    INSERT INTO daily_totals AS t (day, endpoint, cost_micros, credit_calls, rebate_redeemed_micros, last_call_at,
      settled_cost_micros, settled_last_at)
    SELECT (redeemed_at AT TIME ZONE 'UTC')::date AS day, endpoint, sum(attributed_cost_micros), count(*),
      sum(price_micros), max(redeemed_at), sum(attributed_cost_micros), max(redeemed_at)
    FROM written WHERE is_redemption GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET
      cost_micros = t.cost_micros + excluded.cost_micros, credit_calls = t.credit_calls + excluded.credit_calls,
      rebate_redeemed_micros = t.rebate_redeemed_micros + excluded.rebate_redeemed_micros,
      last_call_at = greatest(t.last_call_at, excluded.last_call_at),
      settled_cost_micros = t.settled_cost_micros + excluded.settled_cost_micros,
      settled_last_at = greatest(t.settled_last_at, excluded.settled_last_at)
  ),
  hourly AS (
    INSERT INTO hourly_totals AS t (hour, endpoint, cost_micros, credit_calls, rebate_redeemed_micros, settled_cost_micros)
    SELECT date_trunc('hour', redeemed_at, 'UTC') AS hour, scope, sum(attributed_cost_micros), count(*), sum(price_micros),
      sum(attributed_cost_micros)
    FROM written, LATERAL (VALUES (endpoint), ('')) AS scopes (scope) WHERE is_redemption GROUP BY hour, scope
    ON CONFLICT (hour, endpoint) DO UPDATE SET
      cost_micros = t.cost_micros + excluded.cost_micros, credit_calls = t.credit_calls + excluded.credit_calls,
      rebate_redeemed_micros = t.rebate_redeemed_micros + excluded.rebate_redeemed_micros,
      settled_cost_micros = t.settled_cost_micros + excluded.settled_cost_micros
  ),
  wallets AS (
    INSERT INTO wallet_totals AS t (wallet, credit_calls, rebate_issued_micros, change_micros, credits_issued,
      credits_redeemed)
    SELECT wallet, count(*) FILTER (WHERE is_redemption), coalesce(sum(face_micros) FILTER (WHERE is_issue), 0),
      coalesce(sum(change_micros) FILTER (WHERE is_redemption), 0), count(*) FILTER (WHERE is_issue),
      count(*) FILTER (WHERE is_redemption)
    FROM written WHERE is_issue OR is_redemption GROUP BY wallet
    ON CONFLICT (wallet) DO UPDATE SET
      credit_calls = t.credit_calls + excluded.credit_calls,
      rebate_issued_micros = t.rebate_issued_micros + excluded.rebate_issued_micros,
      change_micros = t.change_micros + excluded.change_micros,
      credits_issued = t.credits_issued + excluded.credits_issued,
      credits_redeemed = t.credits_redeemed + excluded.credits_redeemed
  ),
  days AS (
    INSERT INTO credit_days AS t (day, issued, issued_face_micros, redeemed, redeemed_price_micros, change_micros,
      expiring, expiring_face_micros)
    SELECT day, sum(issued), sum(issued * face), sum(redeemed), sum(price), sum(change), sum(expiring),
      sum(expiring * face)
    FROM (
      SELECT (issued_at AT TIME ZONE 'UTC')::date AS day, 1 AS issued, face_micros AS face, 0 AS redeemed, 0 AS price,
        0 AS change, 0 AS expiring
      FROM written WHERE is_issue
      UNION ALL
      SELECT (redeemed_at AT TIME ZONE 'UTC')::date, 0, 0, 1, price_micros, change_micros, 0
      FROM written WHERE is_redemption
      UNION ALL
      SELECT (expires_at AT TIME ZONE 'UTC')::date, 0, face_micros, 0, 0, 0, opened
      FROM written WHERE expires_at IS NOT NULL AND opened <> 0
    ) made GROUP BY day
    ON CONFLICT (day) DO UPDATE SET
      issued = t.issued + excluded.issued, issued_face_micros = t.issued_face_micros + excluded.issued_face_micros,
      redeemed = t.redeemed + excluded.redeemed,
      redeemed_price_micros = t.redeemed_price_micros + excluded.redeemed_price_micros,
      change_micros = t.change_micros + excluded.change_micros, expiring = t.expiring + excluded.expiring,
      expiring_face_micros = t.expiring_face_micros + excluded.expiring_face_micros
  )
  UPDATE credit_totals t SET
    issued = t.issued + moved.issued, redeemed = t.redeemed + moved.redeemed,
    issued_face_micros = t.issued_face_micros + moved.face,
    redeemed_price_micros = t.redeemed_price_micros + moved.price, change_micros = t.change_micros + moved.change
  FROM (
    SELECT count(*) FILTER (WHERE is_issue) AS issued, count(*) FILTER (WHERE is_redemption) AS redeemed,
      coalesce(sum(face_micros) FILTER (WHERE is_issue), 0) AS face,
      coalesce(sum(price_micros) FILTER (WHERE is_redemption), 0) AS price,
      coalesce(sum(change_micros) FILTER (WHERE is_redemption), 0) AS change
    FROM written
  ) moved`;

/** Writes credits with the calls they paid for, and updates the rollups: one statement. */
export async function applyCredits(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => CREDIT_EVENTS.some((event) => event.type === type));
  if (published.length === 0) return;
  await queryPrepared(tx, APPLY, [JSON.stringify(published.map(({ data }) => data))]);
}

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
      new.redeemed_at IS NOT NULL AND old.redeemed_at IS NULL AS is_redemption
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
  )
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
    credits_redeemed = t.credits_redeemed + excluded.credits_redeemed`;

export async function applyCredits(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => CREDIT_EVENTS.some((event) => event.type === type));
  if (published.length === 0) return;
  await queryPrepared(tx, APPLY, [JSON.stringify(published.map(({ data }) => data))]);
}

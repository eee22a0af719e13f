import { PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import type { EntityManager } from 'typeorm';

export const PAYMENT_EVENTS = [PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending] as const;

type PaymentData = PaymentSettled | PaymentSettlementFailed | PaymentSettlementPending;

/**
 * Parts of the statement that applies payments. They read `changed` (every payment whose status moved: day, cost_micros
 * as a difference, status_before) and `paid` (those of them that became revenue).
 */

const dailyTotals = `
  daily AS (
    INSERT INTO daily_totals AS t (day, endpoint, gross_micros, cost_micros, paid_calls, last_call_at)
    SELECT day, endpoint, coalesce(sum(amount_micros) FILTER (WHERE status = 'settled'), 0), sum(cost_micros),
      count(*) FILTER (WHERE status = 'settled'), max(verified_at) FILTER (WHERE status = 'settled')
    FROM changed WHERE status = 'settled' OR cost_micros <> 0 GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET
      gross_micros = t.gross_micros + excluded.gross_micros, cost_micros = t.cost_micros + excluded.cost_micros,
      paid_calls = t.paid_calls + excluded.paid_calls, last_call_at = greatest(t.last_call_at, excluded.last_call_at)
  )`;

// A wallet never loses a tier, and the names sort as the tiers do: the highest name is the present tier.
const walletTotals = `
  wallets AS (
    INSERT INTO wallet_totals AS t (wallet, tier, lifetime_micros, paid_calls, first_payment_at, last_payment_at,
      rebate_earned_micros)
    SELECT wallet, max(tier), sum(amount_micros), count(*), min(verified_at), max(verified_at), sum(rebate_micros)
    FROM paid GROUP BY wallet
    ON CONFLICT (wallet) DO UPDATE SET
      tier = greatest(t.tier, excluded.tier), lifetime_micros = t.lifetime_micros + excluded.lifetime_micros,
      paid_calls = t.paid_calls + excluded.paid_calls,
      first_payment_at = least(t.first_payment_at, excluded.first_payment_at),
      last_payment_at = greatest(t.last_payment_at, excluded.last_payment_at),
      rebate_earned_micros = t.rebate_earned_micros + excluded.rebate_earned_micros
    RETURNING old.tier AS tier_before, new.tier
  )`;

const walletMonths = `
  months AS (
    INSERT INTO wallet_months AS t (month, wallet, paid_calls, gross_micros)
    SELECT date_trunc('month', day)::date AS month, wallet, count(*), sum(amount_micros) FROM paid GROUP BY month, wallet
    ON CONFLICT (month, wallet) DO UPDATE SET
      paid_calls = t.paid_calls + excluded.paid_calls, gross_micros = t.gross_micros + excluded.gross_micros
  )`;

const tierTotals = `
  tiers AS (
    INSERT INTO tier_totals AS t (tier, wallets)
    SELECT tier, sum(wallets) FROM (
      SELECT tier, 1 AS wallets FROM wallets UNION ALL SELECT tier_before, -1 FROM wallets
    ) moved WHERE tier IS NOT NULL GROUP BY tier HAVING sum(wallets) <> 0
    ON CONFLICT (tier) DO UPDATE SET wallets = t.wallets + excluded.wallets
  )`;

// Endpoint '' means all endpoints. A wallet counts once on a day; its last day moves when it pays again.
const payerCounts = `
  present AS (
    INSERT INTO daily_payers (day, endpoint, wallet)
    SELECT DISTINCT day, scope, wallet FROM paid, LATERAL (VALUES (endpoint), ('')) AS scopes (scope)
    ON CONFLICT DO NOTHING RETURNING day, endpoint
  ),
  payers AS (
    INSERT INTO daily_payer_counts AS t (day, endpoint, payers)
    SELECT day, endpoint, count(*) FROM present GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET payers = t.payers + excluded.payers
  ),
  last_days AS (
    INSERT INTO wallet_last_days AS t (endpoint, wallet, last_day)
    SELECT scope, wallet, max(day) FROM paid, LATERAL (VALUES (endpoint), ('')) AS scopes (scope) GROUP BY scope, wallet
    ON CONFLICT (endpoint, wallet) DO UPDATE SET last_day = excluded.last_day WHERE excluded.last_day > t.last_day
    RETURNING new.endpoint, old.last_day AS last_day_before, new.last_day
  ),
  by_last_day AS (
    INSERT INTO payers_by_last_day AS t (endpoint, last_day, wallets)
    SELECT endpoint, last_day, sum(wallets) FROM (
      SELECT endpoint, last_day, 1 AS wallets FROM last_days
      UNION ALL SELECT endpoint, last_day_before, -1 FROM last_days
    ) moved WHERE last_day IS NOT NULL GROUP BY endpoint, last_day HAVING sum(wallets) <> 0
    ON CONFLICT (endpoint, last_day) DO UPDATE SET wallets = t.wallets + excluded.wallets
  )`;

const settlementTotals = `
  INSERT INTO settlement_totals AS t (status, payments, amount_micros)
  SELECT status, sum(payments), sum(payments * amount_micros) FROM (
    SELECT status, 1 AS payments, amount_micros FROM changed
    UNION ALL SELECT status_before, -1, amount_micros FROM changed
  ) moved WHERE status IS NOT NULL GROUP BY status HAVING sum(payments) <> 0 OR sum(payments * amount_micros) <> 0
  ON CONFLICT (status) DO UPDATE SET
    payments = t.payments + excluded.payments, amount_micros = t.amount_micros + excluded.amount_micros`;

// The events of a payment differ in their rank alone, so the highest decides the whole row: events that come late, twice
// or in another order lead to the same row. Nothing outranks settled, so a payment becomes revenue once.
const APPLY = `
  WITH published AS (
    SELECT DISTINCT ON ("paymentId") * FROM jsonb_to_recordset($1::jsonb) AS event (
      "paymentId" uuid, wallet text, endpoint text, "amountMicros" bigint, "chainId" bigint, asset text,
      "transactionHash" text, status text, "verifiedAt" timestamptz, "settledAt" timestamptz, "failedAt" timestamptz,
      served boolean, reason text, tier text, "rebateMicros" bigint, "attributedCostMicros" bigint, "requestId" text
    )
    ORDER BY "paymentId", payment_status_rank(status) DESC
  ),
  written AS (
    INSERT INTO payments AS p (id, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status,
      verified_at, settled_at, failed_at, served, reason, tier, rebate_micros, attributed_cost_micros, request_id)
    SELECT "paymentId", wallet, endpoint, "amountMicros", "chainId", asset, "transactionHash", status, "verifiedAt",
      "settledAt", "failedAt", coalesce(served, false), reason, tier, coalesce("rebateMicros", 0),
      "attributedCostMicros", "requestId"
    FROM published
    ON CONFLICT (id, verified_at) DO UPDATE SET
      transaction_hash = excluded.transaction_hash, status = excluded.status, settled_at = excluded.settled_at,
      failed_at = excluded.failed_at, served = excluded.served, reason = excluded.reason, tier = excluded.tier,
      rebate_micros = excluded.rebate_micros, attributed_cost_micros = excluded.attributed_cost_micros
    WHERE payment_status_rank(excluded.status) > payment_status_rank(p.status)
    RETURNING new.*, old.status AS status_before, old.served AS served_before,
      old.attributed_cost_micros AS cost_before
  ),
  changed AS (
    SELECT *, (verified_at AT TIME ZONE 'UTC')::date AS day,
      CASE WHEN status = 'settled' OR (status = 'settlement_failed' AND served) THEN attributed_cost_micros ELSE 0 END
        - CASE WHEN status_before = 'settlement_failed' AND served_before THEN cost_before ELSE 0 END AS cost_micros
    FROM written
  ),
  paid AS (SELECT * FROM changed WHERE status = 'settled'),
  ${[dailyTotals, walletTotals, walletMonths, tierTotals, payerCounts].join(',')}
  ${settlementTotals}`;

/** Writes payments into the copy of the ledger and updates the rollups: one statement. */
export async function applyPayments(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => PAYMENT_EVENTS.some((event) => event.type === type));
  if (published.length === 0) return;
  const rows = published.map(({ type, data }) => ({
    ...(data as PaymentData),
    status: statusOf(type, data as PaymentData),
  }));
  await tx.query(APPLY, [JSON.stringify(rows)]);
}

function statusOf(type: string, data: PaymentData): string {
  if (type === PaymentSettled.type) return 'settled';
  return type === PaymentSettlementFailed.type ? 'settlement_failed' : (data as PaymentSettlementPending).state;
}

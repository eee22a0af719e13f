import { PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending } from '@evenkeel/contracts';
import type { EventEnvelope } from '@evenkeel/platform/messaging';
import { queryPrepared } from '@evenkeel/platform/persistence';
import type { EntityManager } from 'typeorm';

export const PAYMENT_EVENTS = [PaymentSettled, PaymentSettlementFailed, PaymentSettlementPending] as const;

type PaymentData = PaymentSettled | PaymentSettlementFailed | PaymentSettlementPending;

const dayOf = (instant: string): string => `(${instant} AT TIME ZONE 'UTC')::date`;

// A payment is summed on two days: that of its call, and that on which it ended. A failed one that settles after all counts as
// if it had never failed.
const dailyTotals = `
  entries AS (
    SELECT ${dayOf('verified_at')} AS day, endpoint, is_paid * amount_micros AS gross, cost_micros - cost_undone AS cost,
      is_paid AS paid, 0 AS settled_gross, 0 AS settled_cost, 0 AS settled_calls,
      CASE is_paid WHEN 1 THEN verified_at END AS called_at, NULL::timestamptz AS ended_at
    FROM changed
    UNION ALL
    SELECT ${dayOf('coalesce(settled_at, failed_at)')}, endpoint, 0, 0, 0, is_paid * amount_micros, cost_micros, is_paid,
      NULL, settled_at
    FROM changed
    UNION ALL
    SELECT ${dayOf('failed_before')}, endpoint, 0, 0, 0, 0, -cost_undone, 0, NULL, NULL FROM changed
  ),
  daily AS (
    INSERT INTO daily_totals AS t (day, endpoint, gross_micros, cost_micros, paid_calls, last_call_at,
      settled_gross_micros, settled_cost_micros, settled_calls, settled_last_at)
    SELECT day, endpoint, sum(gross), sum(cost), sum(paid), max(called_at), sum(settled_gross), sum(settled_cost),
      sum(settled_calls), max(ended_at)
    FROM entries WHERE paid <> 0 OR cost <> 0 OR settled_calls <> 0 OR settled_cost <> 0 GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET
      gross_micros = t.gross_micros + excluded.gross_micros, cost_micros = t.cost_micros + excluded.cost_micros,
      paid_calls = t.paid_calls + excluded.paid_calls, last_call_at = greatest(t.last_call_at, excluded.last_call_at),
      settled_gross_micros = t.settled_gross_micros + excluded.settled_gross_micros,
      settled_cost_micros = t.settled_cost_micros + excluded.settled_cost_micros,
      settled_calls = t.settled_calls + excluded.settled_calls,
      settled_last_at = greatest(t.settled_last_at, excluded.settled_last_at)
  )`;

const walletDays = `
  days_of_wallets AS (
    INSERT INTO wallet_days AS t (day, wallet, endpoint, paid_calls, gross_micros, settled_calls, settled_gross_micros)
    SELECT day, wallet, endpoint, sum(paid), sum(gross), sum(settled), sum(settled_gross) FROM (
      SELECT ${dayOf('verified_at')} AS day, wallet, endpoint, 1 AS paid, amount_micros AS gross, 0 AS settled,
        0 AS settled_gross
      FROM changed WHERE is_paid = 1
      UNION ALL
      SELECT ${dayOf('settled_at')}, wallet, endpoint, 0, 0, 1, amount_micros FROM changed WHERE is_paid = 1
    ) paid GROUP BY day, wallet, endpoint
    ON CONFLICT (day, wallet, endpoint) DO UPDATE SET
      paid_calls = t.paid_calls + excluded.paid_calls, gross_micros = t.gross_micros + excluded.gross_micros,
      settled_calls = t.settled_calls + excluded.settled_calls,
      settled_gross_micros = t.settled_gross_micros + excluded.settled_gross_micros
  )`;

// A wallet never loses a tier, and the names sort as the tiers do: the highest name is the present tier.
const walletTotals = `
  INSERT INTO wallet_totals AS t (wallet, tier, lifetime_micros, paid_calls, first_payment_at, last_payment_at,
    rebate_earned_micros)
  SELECT wallet, max(tier), sum(amount_micros), count(*), min(verified_at), max(verified_at), sum(rebate_micros)
  FROM changed WHERE is_paid = 1 GROUP BY wallet
  ON CONFLICT (wallet) DO UPDATE SET
    tier = greatest(t.tier, excluded.tier), lifetime_micros = t.lifetime_micros + excluded.lifetime_micros,
    paid_calls = t.paid_calls + excluded.paid_calls,
    first_payment_at = least(t.first_payment_at, excluded.first_payment_at),
    last_payment_at = greatest(t.last_payment_at, excluded.last_payment_at),
    rebate_earned_micros = t.rebate_earned_micros + excluded.rebate_earned_micros`;

// The events of a payment differ in their rank alone, so the highest decides the whole row: events that come late, twice
// or in another order lead to the same row. Nothing outranks settled, so a payment becomes revenue once.
const APPLY = `
  WITH published AS (
    SELECT DISTINCT ON ("paymentId") * FROM json_to_recordset($1::json) AS event (
      "paymentId" uuid, nonce text, wallet text, endpoint text, "amountMicros" bigint, "chainId" bigint, asset text,
      "transactionHash" text, status text, "verifiedAt" timestamptz, "settledAt" timestamptz, "failedAt" timestamptz,
      served boolean, reason text, tier text, "rebateMicros" bigint, "attributedCostMicros" bigint, "requestId" text
    )
    ORDER BY "paymentId", payment_status_rank(status) DESC
  ),
  written AS (
    INSERT INTO payments AS p (id, nonce, wallet, endpoint, amount_micros, chain_id, asset, transaction_hash, status,
      verified_at, settled_at, failed_at, served, reason, tier, rebate_micros, attributed_cost_micros, request_id)
    SELECT "paymentId", nonce, wallet, endpoint, "amountMicros", "chainId", asset, "transactionHash", status, "verifiedAt",
      "settledAt", "failedAt", coalesce(served, false), reason, tier, coalesce("rebateMicros", 0),
      "attributedCostMicros", "requestId"
    FROM published
    ON CONFLICT (id, verified_at) DO UPDATE SET
      nonce = coalesce(excluded.nonce, p.nonce), transaction_hash = excluded.transaction_hash, status = excluded.status,
      settled_at = excluded.settled_at, failed_at = excluded.failed_at, served = excluded.served,
      reason = excluded.reason, tier = excluded.tier, rebate_micros = excluded.rebate_micros,
      attributed_cost_micros = excluded.attributed_cost_micros
    WHERE payment_status_rank(excluded.status) > payment_status_rank(p.status)
    RETURNING new.*, old.failed_at AS failed_before,
      CASE WHEN old.status = 'settlement_failed' AND old.served THEN old.attributed_cost_micros ELSE 0 END AS cost_undone
  ),
  changed AS (
    SELECT *, (status = 'settled')::integer AS is_paid,
      CASE WHEN status = 'settled' OR (status = 'settlement_failed' AND served) THEN attributed_cost_micros ELSE 0 END
        AS cost_micros
    FROM written
  ),
  ${dailyTotals},
  ${walletDays}
  ${walletTotals}`;

// The states of a payment before its final one, which is in its own row.
const APPLY_STATES = `
  INSERT INTO payment_states (payment_id, state, at, transaction_hash, reason)
  SELECT "paymentId", status, at, "transactionHash", reason FROM json_to_recordset($1::json) AS event (
    "paymentId" uuid, status text, at timestamptz, "transactionHash" text, reason text
  )
  ON CONFLICT DO NOTHING`;

/** Writes payments into the copy of the ledger, updates the sums in the same statement, and remembers uncertain states. */
export async function applyPayments(tx: EntityManager, events: readonly EventEnvelope<unknown>[]): Promise<void> {
  const published = events.filter(({ type }) => PAYMENT_EVENTS.some((event) => event.type === type));
  if (published.length === 0) return;
  const rows = published.map(({ type, time, data }) => ({
    ...(data as PaymentData),
    status: statusOf(type, data as PaymentData),
    at: time.toISOString(),
  }));
  await queryPrepared(tx, APPLY, [JSON.stringify(rows)]);
  const passed = rows.filter(({ status }) => status !== 'settled');
  if (passed.length > 0) await queryPrepared(tx, APPLY_STATES, [JSON.stringify(passed)]);
}

function statusOf(type: string, data: PaymentData): string {
  if (type === PaymentSettled.type) return 'settled';
  return type === PaymentSettlementFailed.type ? 'settlement_failed' : (data as PaymentSettlementPending).state;
}

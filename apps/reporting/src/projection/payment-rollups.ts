/**
 * Parts of the statement that applies payments. They read `changed` (every payment whose status moved: day, cost_micros
 * as a difference, status_before) and `paid` (those of them that became revenue).
 */

export const dailyTotals = `
  daily AS (
    INSERT INTO daily_totals AS t (day, endpoint, gross_micros, cost_micros, paid_calls, last_call_at)
    SELECT day, endpoint, coalesce(sum(amount_micros) FILTER (WHERE status = 'settled'), 0), sum(cost_micros),
      count(*) FILTER (WHERE status = 'settled'), max(verified_at) FILTER (WHERE status = 'settled')
    FROM changed WHERE status = 'settled' OR cost_micros <> 0 GROUP BY day, endpoint
    ON CONFLICT (day, endpoint) DO UPDATE SET
      gross_micros = t.gross_micros + excluded.gross_micros, cost_micros = t.cost_micros + excluded.cost_micros,
      paid_calls = t.paid_calls + excluded.paid_calls, last_call_at = greatest(t.last_call_at, excluded.last_call_at)
  )`;

// A tier is never lost, and the names sort as the tiers do: the highest ever told is the present one.
export const walletTotals = `
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

export const walletMonths = `
  months AS (
    INSERT INTO wallet_months AS t (month, wallet, paid_calls, gross_micros)
    SELECT date_trunc('month', day)::date AS month, wallet, count(*), sum(amount_micros) FROM paid GROUP BY month, wallet
    ON CONFLICT (month, wallet) DO UPDATE SET
      paid_calls = t.paid_calls + excluded.paid_calls, gross_micros = t.gross_micros + excluded.gross_micros
  )`;

export const tierTotals = `
  tiers AS (
    INSERT INTO tier_totals AS t (tier, wallets)
    SELECT tier, sum(wallets) FROM (
      SELECT tier, 1 AS wallets FROM wallets UNION ALL SELECT tier_before, -1 FROM wallets
    ) moved WHERE tier IS NOT NULL GROUP BY tier HAVING sum(wallets) <> 0
    ON CONFLICT (tier) DO UPDATE SET wallets = t.wallets + excluded.wallets
  )`;

// Endpoint '' stands for all of them. A wallet counts on a day when its presence is new, and moves on when it pays again.
export const payerCounts = `
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

export const settlementTotals = `
  INSERT INTO settlement_totals AS t (status, payments, amount_micros)
  SELECT status, sum(payments), sum(payments * amount_micros) FROM (
    SELECT status, 1 AS payments, amount_micros FROM changed
    UNION ALL SELECT status_before, -1, amount_micros FROM changed
  ) moved WHERE status IS NOT NULL GROUP BY status HAVING sum(payments) <> 0 OR sum(payments * amount_micros) <> 0
  ON CONFLICT (status) DO UPDATE SET
    payments = t.payments + excluded.payments, amount_micros = t.amount_micros + excluded.amount_micros`;

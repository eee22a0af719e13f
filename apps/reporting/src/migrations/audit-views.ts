const day = (instant: string): string => `(${instant} AT TIME ZONE 'UTC')::date`;

/** The sums, counted again from the rows of the ledger copy alone. */
const countedDailyTotals = `
  SELECT day, endpoint, sum(gross)::bigint AS gross_micros, sum(cost)::bigint AS cost_micros,
    sum(paid)::bigint AS paid_calls, sum(credits)::bigint AS credit_calls,
    sum(price)::bigint AS rebate_redeemed_micros, max(called_at) AS last_call_at,
    sum(settled_gross)::bigint AS settled_gross_micros, sum(settled_cost)::bigint AS settled_cost_micros,
    sum(settled)::bigint AS settled_calls, max(settled_at) AS settled_last_at
  FROM (
    SELECT ${day('verified_at')} AS day, endpoint, (status = 'settled')::integer * amount_micros AS gross,
      attributed_cost_micros AS cost, (status = 'settled')::integer AS paid, 0 AS credits, 0 AS price,
      CASE status WHEN 'settled' THEN verified_at END AS called_at, 0 AS settled_gross, 0 AS settled_cost, 0 AS settled,
      NULL::timestamptz AS settled_at
    FROM payments WHERE status = 'settled' OR (status = 'settlement_failed' AND served)
    UNION ALL
    SELECT ${day('coalesce(settled_at, failed_at)')}, endpoint, 0, 0, 0, 0, 0, NULL,
      (status = 'settled')::integer * amount_micros, attributed_cost_micros, (status = 'settled')::integer, settled_at
    FROM payments WHERE status = 'settled' OR (status = 'settlement_failed' AND served)
    UNION ALL
    SELECT ${day('redeemed_at')}, endpoint, 0, attributed_cost_micros, 0, 1, price_micros, redeemed_at, 0,
      attributed_cost_micros, 0, redeemed_at
    FROM credits WHERE redeemed_at IS NOT NULL
  ) calls
  GROUP BY day, endpoint`;

const countedWalletDays = `
  SELECT day, wallet, endpoint, sum(paid)::integer AS paid_calls, sum(gross)::bigint AS gross_micros,
    sum(settled)::integer AS settled_calls, sum(settled_gross)::bigint AS settled_gross_micros
  FROM (
    SELECT ${day('verified_at')} AS day, wallet, endpoint, 1 AS paid, amount_micros AS gross, 0 AS settled, 0 AS settled_gross
    FROM payments WHERE status = 'settled'
    UNION ALL
    SELECT ${day('settled_at')}, wallet, endpoint, 0, 0, 1, amount_micros FROM payments WHERE status = 'settled'
  ) paid
  GROUP BY day, wallet, endpoint`;

const countedWalletTotals = `
  SELECT wallet, max(tier) AS tier, sum(amount)::bigint AS lifetime_micros, sum(paid)::bigint AS paid_calls,
    sum(redeemed)::bigint AS credit_calls, min(verified_at) AS first_payment_at, max(verified_at) AS last_payment_at,
    sum(earned)::bigint AS rebate_earned_micros, sum(face)::bigint AS rebate_issued_micros,
    sum(change)::bigint AS change_micros, sum(issued)::bigint AS credits_issued, sum(redeemed)::bigint AS credits_redeemed
  FROM (
    SELECT wallet, tier, amount_micros AS amount, 1 AS paid, verified_at, rebate_micros AS earned, 0 AS issued, 0 AS face,
      0 AS redeemed, 0 AS change
    FROM payments WHERE status = 'settled'
    UNION ALL
    SELECT wallet, NULL, 0, 0, NULL, 0, (issued_at IS NOT NULL)::integer, coalesce(face_micros, 0),
      (redeemed_at IS NOT NULL)::integer, coalesce(change_micros, 0)
    FROM credits
  ) made
  GROUP BY wallet`;

const countedWalletMonths = `
  SELECT date_trunc('month', day::timestamp)::date AS month, wallet, sum(paid_calls)::bigint AS paid_calls,
    sum(gross_micros)::bigint AS gross_micros, sum(settled_calls)::bigint AS settled_calls,
    sum(settled_gross_micros)::bigint AS settled_gross_micros
  FROM audit.counted_wallet_days GROUP BY 1, 2`;

const KEYS = {
  daily_totals: 'day, endpoint',
  wallet_days: 'day, wallet, endpoint',
  wallet_months: 'month, wallet',
  wallet_totals: 'wallet',
};

const GENERATED = `'{rebate_accrued_micros,credits_outstanding}'::text[]`;

/** A counter that went back to nothing leaves its row behind. */
const HAS_CALLS =
  'paid_calls <> 0 OR settled_calls <> 0 OR credit_calls <> 0 OR cost_micros <> 0 OR settled_cost_micros <> 0';

const rowsOf = (schema: string): string =>
  Object.entries(KEYS)
    .map(
      ([sum, key]) => `
        SELECT '${sum}' AS rollup, jsonb_build_array(${key}) AS key, to_jsonb(t) - ${GENERATED} AS figures
        FROM ${schema}${sum} t WHERE ${sum === 'daily_totals' ? HAS_CALLS : 'true'}`,
    )
    .join(' UNION ALL ');

/** What versions change, made of what they state. A version may be about an earlier day than the one before it. */
export const countedVersions = (where = ''): string => `
  stated AS (
    SELECT user_id, version, ${day('changed_at')} AS own_day,
      (SELECT coalesce(sum(value::bigint), 0)::bigint FROM jsonb_each_text(plans)) AS mrr_micros
    FROM subscription_versions ${where}
  ),
  compared AS (
    SELECT *, max(own_day) OVER w AS day, bool_or(mrr_micros > 0) OVER w AS has_paid,
      coalesce(lag(mrr_micros) OVER w, 0) AS micros_before,
      coalesce(bool_or(mrr_micros > 0) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS had_paid
    FROM stated WINDOW w AS (PARTITION BY user_id ORDER BY version)
  ),
  counted_versions AS (
    SELECT *, mrr_micros - micros_before AS movement_micros, CASE
      WHEN mrr_micros = micros_before THEN NULL
      WHEN micros_before = 0 THEN CASE WHEN had_paid THEN 'reactivation' ELSE 'new' END
      WHEN mrr_micros = 0 THEN 'churn'
      WHEN mrr_micros > micros_before THEN 'expansion'
      ELSE 'contraction' END AS movement
    FROM compared
  )`;

const versionsOf = (relation: string): string => `
  SELECT 'subscription_versions' AS rollup, jsonb_build_array(user_id, version) AS key,
    jsonb_build_array(day, mrr_micros, has_paid, movement, movement_micros) AS figures
  FROM ${relation}`;

const compared = `
  SELECT rollup, key, kept.figures AS kept, counted.figures AS counted FROM kept FULL JOIN counted USING (rollup, key)`;

/**
 * Views for auditors, with names that stay the same when tables change. The WITH in each makes it read-only:
 * PostgreSQL refuses writes through such a view.
 */
export const AUDIT_VIEWS = {
  payments: `
    WITH copy AS (SELECT * FROM payments)
    SELECT id AS payment_id, amount_micros AS amount_atomic, status, wallet, endpoint, verified_at FROM copy`,
  credits: `
    WITH copy AS (SELECT * FROM credits)
    SELECT id AS credit_id, face_micros AS face_atomic, redeemed_at, wallet FROM copy`,
  inbox: `WITH seen AS (SELECT * FROM inbox) SELECT message_id, consumer, received_at FROM seen`,
  positions: `WITH reached AS (SELECT * FROM inbox_positions) SELECT consumer, aggregate, last_seq FROM reached`,
  parked: `
    WITH waiting AS (SELECT * FROM parked)
    SELECT consumer, aggregate, aggregate_seq, message_id, reason, parked_at FROM waiting`,
  counted_daily_totals: countedDailyTotals,
  counted_wallet_days: countedWalletDays,
  counted_wallet_months: countedWalletMonths,
  counted_wallet_totals: countedWalletTotals,
  // The sums beside what their rows give.
  rollups: `WITH kept AS (${rowsOf('')}), counted AS (${rowsOf('audit.counted_')}) ${compared}`,
  // Start and end are made of what users have, the movements are those that are kept.
  mrr: `
    WITH ${countedVersions()},
    days AS (
      SELECT day, sum(changed)::bigint AS changed, sum(moved)::bigint AS moved FROM (
        SELECT day, movement_micros AS changed, 0 AS moved FROM counted_versions
        UNION ALL
        SELECT day, 0, movement_micros FROM subscription_versions
      ) sides GROUP BY day
    )
    SELECT day, (sum(changed) OVER (ORDER BY day) - changed)::bigint AS start_micros, moved AS movements_micros,
      (sum(changed) OVER (ORDER BY day))::bigint AS end_micros
    FROM days`,
  subscription_rollups: `
    WITH ${countedVersions()}, kept AS (${versionsOf('subscription_versions')}),
      counted AS (${versionsOf('counted_versions')}) ${compared}`,
};

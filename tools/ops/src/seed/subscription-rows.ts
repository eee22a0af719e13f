/**
 * Lives of so many people ($3) who subscribe between two instants ($1, $2), likelier late than early, with all that follows:
 * a trial for one in four, a payment for each period, and at its end one in twenty who leaves, some who pay late, and some who
 * change their plan. Nothing happens from the second instant on. One in a thousand has a grant and nothing else.
 */
export const ADD_SUBSCRIPTIONS = `
  WITH RECURSIVE people AS MATERIALIZED (
    SELECT number, random() < 0.001 AS has_grant, random() < 0.25 AS has_trial, random() AS fate,
      date_trunc('milliseconds', $1::timestamptz + ($2::timestamptz - $1) * sqrt(random())) AS at
    FROM generate_series(1, $3::integer) AS number
  ),
  users AS MATERIALIZED (
    SELECT *, pg_temp.made_id(at, 'user', $4::text, number::text) AS user_id,
      has_grant OR (has_trial AND fate < 0.3) AS is_without_payment
    FROM people
  ),
  plans (plan, due, mrr, lasts, other) AS (
    VALUES ('premium_monthly', 7990000, 7990000, interval '720 hours', 'premium_yearly'),
      ('premium_yearly', 59990000, 4999167, interval '8760 hours', 'premium_monthly')
  ),
  periods AS (
    SELECT user_id, 1 AS period, plan, 'new' AS ending_before, at + has_trial::integer * interval '168 hours' AS at,
      due, mrr, lasts, other, ${ending('random()')} AS ending
    FROM users JOIN plans ON plan = CASE WHEN fate > 0.66 THEN 'premium_yearly' ELSE 'premium_monthly' END
    WHERE NOT is_without_payment AND at + has_trial::integer * interval '168 hours' < $2
    UNION ALL
    SELECT user_id, period + 1, plans.plan, ending, next_at, plans.due, plans.mrr, plans.lasts, plans.other,
      ${ending('random()')}
    FROM periods
    CROSS JOIN LATERAL (SELECT at + lasts + interval '24 hours' * CASE ending WHEN 'back' THEN 40 WHEN 'late' THEN 3 ELSE 0 END AS next_at) AS next
    JOIN plans ON plans.plan = CASE ending WHEN 'switch' THEN periods.other ELSE periods.plan END
    WHERE ending <> 'gone' AND next_at < $2
  ),
  invoiced AS (
    INSERT INTO invoices (id, user_id, subscription_id, plan_code, amount_micros, tax_micros, reason, period_start, period_end, paid_at)
    SELECT 'in_' || md5(concat(user_id, period)), user_id, 'sub_' || user_id, plan, due, 0,
      CASE period WHEN 1 THEN 'first' ELSE 'cycle' END, at, at + lasts, at
    FROM periods
    RETURNING id, user_id, amount_micros, paid_at, random() AS fate
  ),
  adjusted AS (
    INSERT INTO invoice_adjustments (id, kind, user_id, invoice_id, amount_micros, occurred_at)
    SELECT replace(id, 'in_', prefix), kind, user_id, id, amount_micros, paid_at + after
    FROM invoiced JOIN (
      VALUES (0, 0.01, 're_', 'refund', interval '48 hours'), (0.01, 0.011, 'dp_', 'dispute', interval '120 hours'),
        (0.01, 0.0105, 'dp_', 'dispute_won', interval '720 hours'), (0.0105, 0.011, 'dp_', 'dispute_lost', interval '720 hours')
    ) AS kinds (since, until, prefix, kind, after) ON fate >= since AND fate < until
    WHERE paid_at + after < $2
  ),
  stated AS (
    SELECT user_id, at, NULL AS plan, 'GRANT' AS status, 0 AS mrr FROM users WHERE has_grant
    UNION ALL
    SELECT user_id, at, 'premium_monthly', 'TRIALING', 0 FROM users WHERE has_trial AND NOT has_grant
    UNION ALL
    SELECT user_id, at + interval '168 hours', NULL, 'NONE', 0 FROM users WHERE has_trial AND is_without_payment AND NOT has_grant
    UNION ALL
    SELECT user_id, at, plan, 'ACTIVE', mrr FROM periods WHERE ending_before <> 'same'
    UNION ALL
    SELECT user_id, at + lasts, plan, 'PAST_DUE', mrr FROM periods WHERE ending = 'late'
    UNION ALL
    SELECT user_id, at + lasts - interval '240 hours', plan, 'LEAVING', mrr FROM periods WHERE ending IN ('back', 'gone')
    UNION ALL
    SELECT user_id, at + lasts, NULL, 'NONE', 0 FROM periods WHERE ending IN ('back', 'gone')
  ),
  versions AS (
    SELECT *, row_number() OVER life AS version, mrr - coalesce(lag(mrr) OVER life, 0) AS moved, bool_or(mrr > 0) OVER life AS has_paid,
      coalesce(bool_or(mrr > 0) OVER (life ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS had_paid
    FROM stated WHERE at < $2 WINDOW life AS (PARTITION BY user_id ORDER BY at)
  )
  INSERT INTO subscription_versions (user_id, version, changed_at, plans, active, past_due, trialing, scheduled_to_cancel,
    granted_until, day, mrr_micros, has_paid, movement, movement_micros)
  SELECT user_id, version, at, CASE WHEN plan IS NULL THEN '{}' ELSE jsonb_build_object(plan, mrr) END,
    (status IN ('ACTIVE', 'LEAVING'))::integer, (status = 'PAST_DUE')::integer, (status = 'TRIALING')::integer,
    (status = 'LEAVING')::integer, CASE status WHEN 'GRANT' THEN 'infinity'::timestamptz END, (at AT TIME ZONE 'UTC')::date,
    mrr, has_paid, CASE
      WHEN moved = 0 THEN NULL
      WHEN mrr = moved THEN CASE WHEN had_paid THEN 'reactivation' ELSE 'new' END
      WHEN mrr = 0 THEN 'churn'
      WHEN moved > 0 THEN 'expansion'
      ELSE 'contraction'
    END, moved
  FROM versions`;

/** How a period ends: gone for good, back after 40 days, paid three days late, with the other plan, or like the one before. */
function ending(draw: string): string {
  return `(ARRAY['gone', 'back', 'late', 'switch', 'same'])[width_bucket(${draw}, ARRAY[0, 0.04, 0.05, 0.07, 0.1]::float8[])]`;
}

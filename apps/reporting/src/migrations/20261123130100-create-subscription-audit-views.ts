import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Views for auditors of subscriptions. The WITH in each makes it read-only, as in the other views. */
export class CreateSubscriptionAuditViews1795438860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE VIEW audit.mrr AS ${mrr}`);
    await runner.query(`CREATE VIEW audit.subscription_rollups AS ${rollups}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP VIEW audit.subscription_rollups, audit.mrr`);
  }
}

/** Versions and what they change, counted again from what they state. */
const counted = `
  stated AS (
    SELECT user_id, version, (changed_at AT TIME ZONE 'UTC')::date AS own_day, plans, active, past_due, trialing,
      scheduled_to_cancel, granted_until,
      (SELECT coalesce(sum(value::bigint), 0)::bigint FROM jsonb_each_text(plans)) AS micros
    FROM subscription_versions
  ),
  compared AS (
    SELECT *, max(own_day) OVER w AS day, bool_or(micros > 0) OVER w AS has_paid,
      coalesce(lag(micros) OVER w, 0) AS micros_before, coalesce(lag(plans) OVER w, '{}') AS plans_before,
      coalesce(bool_or(micros > 0) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), false) AS had_paid,
      lead(version) OVER w IS NULL AS is_latest
    FROM stated WINDOW w AS (PARTITION BY user_id ORDER BY version)
  ),
  counted_versions AS (
    SELECT *, micros - micros_before AS moved, CASE
      WHEN micros = micros_before THEN NULL
      WHEN micros_before = 0 THEN CASE WHEN had_paid THEN 'reactivation' ELSE 'new' END
      WHEN micros = 0 THEN 'churn'
      WHEN micros > micros_before THEN 'expansion'
      ELSE 'contraction' END AS movement
    FROM compared
  )`;

// Start and end are made of what users have, the movements are those of the rollup.
const mrr = `
  WITH ${counted},
  states AS (SELECT day, sum(moved) AS micros FROM counted_versions GROUP BY day),
  movements AS (
    SELECT day, new_micros + reactivation_micros + expansion_micros - contraction_micros - churn_micros AS micros
    FROM subscription_days
  ),
  days AS (
    SELECT day, coalesce(states.micros, 0) AS changed, coalesce(movements.micros, 0) AS moved
    FROM states FULL JOIN movements USING (day)
  )
  SELECT day, (sum(changed) OVER (ORDER BY day) - changed)::bigint AS start_micros, moved::bigint AS movements_micros,
    (sum(changed) OVER (ORDER BY day))::bigint AS end_micros
  FROM days`;

const keptRollups = `
  SELECT 'subscription_versions' AS rollup, jsonb_build_array(user_id, version) AS key, jsonb_build_object('day', day,
    'mrr', mrr_micros, 'has_paid', has_paid, 'movement', movement, 'moved', movement_micros) AS figures
  FROM subscription_versions
  UNION ALL
  SELECT 'subscription_days', jsonb_build_array(day), to_jsonb(t) FROM subscription_days t
  WHERE new_subscribers <> 0 OR reactivated <> 0 OR churned <> 0 OR expansion_micros <> 0 OR contraction_micros <> 0
  UNION ALL
  SELECT 'plan_days', jsonb_build_array(day, plan), to_jsonb(t) FROM plan_days t
  WHERE subscribers <> 0 OR mrr_micros <> 0
  UNION ALL
  SELECT 'standing_totals', '[]', to_jsonb(t) - 'single' FROM standing_totals t
  UNION ALL
  SELECT 'granted_users', jsonb_build_array(user_id), to_jsonb(t) FROM granted_users t
  UNION ALL
  SELECT 'invoice_days', jsonb_build_array(day), to_jsonb(t) FROM invoice_days t`;

const amountOf = (movement: string): string =>
  `coalesce(sum(abs(moved)) FILTER (WHERE movement = '${movement}'), 0) AS ${movement}_micros`;
const numberOf = (movement: string): string => `count(*) FILTER (WHERE movement = '${movement}')`;

const countedRollups = `
  SELECT 'subscription_versions' AS rollup, jsonb_build_array(user_id, version) AS key, jsonb_build_object('day', day,
    'mrr', micros, 'has_paid', has_paid, 'movement', movement, 'moved', moved) AS figures
  FROM counted_versions
  UNION ALL
  SELECT 'subscription_days', jsonb_build_array(day), to_jsonb(c) FROM (
    SELECT day, ${['new', 'reactivation', 'expansion', 'contraction', 'churn'].map(amountOf).join(', ')},
      ${numberOf('new')} AS new_subscribers, ${numberOf('reactivation')} AS reactivated, ${numberOf('churn')} AS churned
    FROM counted_versions WHERE movement IS NOT NULL GROUP BY day
  ) c
  UNION ALL
  SELECT 'plan_days', jsonb_build_array(day, plan), to_jsonb(c) FROM (
    SELECT day, plan, sum(sign * (micros > 0)::integer) AS subscribers, sum(sign * micros) AS mrr_micros FROM (
      SELECT day, key AS plan, value::bigint AS micros, 1 AS sign FROM counted_versions, jsonb_each_text(plans)
      UNION ALL
      SELECT day, key, value::bigint, -1 FROM counted_versions, jsonb_each_text(plans_before)
    ) made GROUP BY day, plan
  ) c
  WHERE subscribers <> 0 OR mrr_micros <> 0
  UNION ALL
  SELECT 'standing_totals', '[]', to_jsonb(c) FROM (
    SELECT coalesce(sum(active), 0) AS active, coalesce(sum(past_due), 0) AS past_due,
      coalesce(sum(trialing), 0) AS trialing, coalesce(sum(scheduled_to_cancel), 0) AS scheduled_to_cancel
    FROM counted_versions WHERE is_latest
  ) c
  UNION ALL
  SELECT 'granted_users', jsonb_build_array(user_id), to_jsonb(c) FROM (
    SELECT user_id, granted_until AS until FROM counted_versions WHERE is_latest AND granted_until IS NOT NULL
  ) c
  UNION ALL
  SELECT 'invoice_days', jsonb_build_array(day), to_jsonb(c) FROM (
    SELECT day, sum(paid) AS paid, sum(gross) AS gross_micros, sum(tax) AS tax_micros,
      sum(refunded) AS refunded_micros, sum(disputed) AS disputed_micros
    FROM (
      SELECT (paid_at AT TIME ZONE 'UTC')::date AS day, 1 AS paid, amount_micros AS gross, tax_micros AS tax,
        0 AS refunded, 0 AS disputed
      FROM invoices
      UNION ALL
      SELECT (occurred_at AT TIME ZONE 'UTC')::date, 0, 0, 0,
        amount_micros * CASE kind WHEN 'refund' THEN 1 WHEN 'refund_failed' THEN -1 ELSE 0 END,
        amount_micros * CASE kind WHEN 'dispute' THEN 1 WHEN 'dispute_won' THEN -1 ELSE 0 END
      FROM invoice_adjustments
    ) made GROUP BY day
  ) c`;

const rollups = `
  WITH ${counted},
  kept AS (${keptRollups}),
  counted AS (${countedRollups})
  SELECT rollup, key, kept.figures AS kept, counted.figures AS counted
  FROM kept FULL JOIN counted USING (rollup, key)`;

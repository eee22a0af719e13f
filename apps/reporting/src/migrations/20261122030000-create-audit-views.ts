import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Views for auditors, with names that stay the same when tables change. The WITH in each makes it read-only:
 * PostgreSQL refuses writes through such a view.
 */
export class CreateAuditViews1795316400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE SCHEMA audit`);
    await runner.query(`
      CREATE VIEW audit.payments AS
      WITH copy AS (SELECT * FROM payments)
      SELECT id AS payment_id, amount_micros AS amount_atomic, status, wallet, endpoint, verified_at FROM copy`);
    await runner.query(`
      CREATE VIEW audit.credits AS
      WITH copy AS (SELECT * FROM credits)
      SELECT id AS credit_id, face_micros AS face_atomic, redeemed_at, wallet FROM copy`);
    await runner.query(`
      CREATE VIEW audit.inbox AS
      WITH seen AS (SELECT * FROM inbox) SELECT message_id, consumer, received_at FROM seen`);
    await runner.query(`
      CREATE VIEW audit.positions AS
      WITH reached AS (SELECT * FROM inbox_positions) SELECT consumer, aggregate, last_seq FROM reached`);
    await runner.query(`
      CREATE VIEW audit.parked AS
      WITH waiting AS (SELECT * FROM parked)
      SELECT consumer, aggregate, aggregate_seq, message_id, reason, parked_at FROM waiting`);
    await runner.query(`CREATE VIEW audit.rollups AS ${previousRollups}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP SCHEMA audit CASCADE`);
  }
}

const keptRollups = `
  SELECT 'daily_totals' AS rollup, jsonb_build_array(day, endpoint) AS key, to_jsonb(t) AS figures FROM daily_totals t
  UNION ALL
  SELECT 'daily_payers', jsonb_build_array(day, endpoint, wallet), to_jsonb(t) FROM daily_payers t
  UNION ALL
  SELECT 'daily_payer_counts', jsonb_build_array(day, endpoint), to_jsonb(t) FROM daily_payer_counts t
  UNION ALL
  SELECT 'wallet_last_days', jsonb_build_array(endpoint, wallet), to_jsonb(t) FROM wallet_last_days t
  UNION ALL
  SELECT 'payers_by_last_day', jsonb_build_array(endpoint, last_day), to_jsonb(t) FROM payers_by_last_day t
  WHERE wallets <> 0
  UNION ALL
  SELECT 'wallet_totals', jsonb_build_array(wallet), to_jsonb(t) - '{rebate_accrued_micros,credits_outstanding}'::text[]
  FROM wallet_totals t
  UNION ALL
  SELECT 'wallet_months', jsonb_build_array(month, wallet), to_jsonb(t) FROM wallet_months t
  UNION ALL
  SELECT 'tier_totals', jsonb_build_array(tier), to_jsonb(t) FROM tier_totals t WHERE wallets <> 0
  UNION ALL
  SELECT 'credit_totals', '[]', to_jsonb(t) - '{single,outstanding,outstanding_face_micros}'::text[] FROM credit_totals t
  UNION ALL
  SELECT 'credit_days', jsonb_build_array(day), to_jsonb(t) FROM credit_days t
  UNION ALL
  SELECT 'settlement_totals', jsonb_build_array(status), to_jsonb(t) FROM settlement_totals t WHERE payments <> 0`;

/** The same, counted again from the rows of the ledger copy alone. */
const countedRollups = `
  SELECT 'daily_totals' AS rollup, jsonb_build_array(day, endpoint) AS key, to_jsonb(c) AS figures FROM (
    SELECT day, endpoint, sum(gross) AS gross_micros, sum(cost) AS cost_micros, sum(paid) AS paid_calls,
      sum(by_credit) AS credit_calls, sum(price) AS rebate_redeemed_micros, max(at) AS last_call_at
    FROM calls GROUP BY day, endpoint
  ) c
  UNION ALL
  SELECT 'daily_payers', jsonb_build_array(day, endpoint, wallet), to_jsonb(c)
  FROM (SELECT DISTINCT day, endpoint, wallet FROM payers) c
  UNION ALL
  SELECT 'daily_payer_counts', jsonb_build_array(day, endpoint), to_jsonb(c)
  FROM (SELECT day, endpoint, count(DISTINCT wallet) AS payers FROM payers GROUP BY day, endpoint) c
  UNION ALL
  SELECT 'wallet_last_days', jsonb_build_array(endpoint, wallet), to_jsonb(c) FROM last_days c
  UNION ALL
  SELECT 'payers_by_last_day', jsonb_build_array(endpoint, last_day), to_jsonb(c)
  FROM (SELECT endpoint, last_day, count(*) AS wallets FROM last_days GROUP BY endpoint, last_day) c
  UNION ALL
  SELECT 'wallet_totals', jsonb_build_array(wallet), to_jsonb(c) FROM wallets c
  UNION ALL
  SELECT 'wallet_months', jsonb_build_array(month, wallet), to_jsonb(c) FROM (
    SELECT date_trunc('month', day)::date AS month, wallet, count(*) AS paid_calls, sum(amount_micros) AS gross_micros
    FROM paid GROUP BY 1, wallet
  ) c
  UNION ALL
  SELECT 'tier_totals', jsonb_build_array(tier), to_jsonb(c)
  FROM (SELECT tier, count(*) AS wallets FROM wallets WHERE tier IS NOT NULL GROUP BY tier) c
  UNION ALL
  SELECT 'credit_totals', '[]', to_jsonb(c) FROM (
    SELECT count(issued_at) AS issued, count(redeemed_at) AS redeemed,
      coalesce(sum(face_micros), 0) AS issued_face_micros, coalesce(sum(price_micros), 0) AS redeemed_price_micros,
      coalesce(sum(change_micros), 0) AS change_micros
    FROM credits
  ) c
  UNION ALL
  SELECT 'credit_days', jsonb_build_array(day), to_jsonb(c) FROM (
    SELECT day, sum(issued) AS issued, sum(face) AS issued_face_micros, sum(redeemed) AS redeemed,
      sum(price) AS redeemed_price_micros, sum(change) AS change_micros
    FROM (
      SELECT (issued_at AT TIME ZONE 'UTC')::date AS day, 1 AS issued, face_micros AS face, 0 AS redeemed, 0 AS price,
        0 AS change
      FROM credits WHERE issued_at IS NOT NULL
      UNION ALL
      SELECT (redeemed_at AT TIME ZONE 'UTC')::date, 0, 0, 1, price_micros, change_micros
      FROM credits WHERE redeemed_at IS NOT NULL
    ) made GROUP BY day
  ) c
  UNION ALL
  SELECT 'settlement_totals', jsonb_build_array(status), to_jsonb(c)
  FROM (SELECT status, count(*) AS payments, sum(amount_micros) AS amount_micros FROM payments GROUP BY status) c`;

/** The view `audit.rollups` as it is made here; a later migration replaces it. */
export const previousRollups = `
  WITH paid AS (
    SELECT *, (verified_at AT TIME ZONE 'UTC')::date AS day FROM payments WHERE status = 'settled'
  ),
  calls AS (
    SELECT day, endpoint, amount_micros AS gross, attributed_cost_micros AS cost, 1 AS paid, 0 AS by_credit,
      0 AS price, verified_at AS at
    FROM paid
    UNION ALL
    SELECT (verified_at AT TIME ZONE 'UTC')::date, endpoint, 0, attributed_cost_micros, 0, 0, 0, NULL
    FROM payments WHERE status = 'settlement_failed' AND served AND attributed_cost_micros > 0
    UNION ALL
    SELECT (redeemed_at AT TIME ZONE 'UTC')::date, endpoint, 0, attributed_cost_micros, 0, 1, price_micros, redeemed_at
    FROM credits WHERE redeemed_at IS NOT NULL
  ),
  payers AS (SELECT day, scope AS endpoint, wallet FROM paid, LATERAL (VALUES (endpoint), ('')) AS scopes (scope)),
  last_days AS (SELECT endpoint, wallet, max(day) AS last_day FROM payers GROUP BY endpoint, wallet),
  wallets AS (
    SELECT wallet, max(tier) AS tier, sum(amount) AS lifetime_micros, sum(paid) AS paid_calls,
      sum(redeemed) AS credit_calls, min(verified_at) AS first_payment_at, max(verified_at) AS last_payment_at,
      sum(earned) AS rebate_earned_micros, sum(face) AS rebate_issued_micros, sum(change) AS change_micros,
      sum(issued) AS credits_issued, sum(redeemed) AS credits_redeemed
    FROM (
      SELECT wallet, tier, amount_micros AS amount, 1 AS paid, verified_at, rebate_micros AS earned, 0 AS issued,
        0 AS face, 0 AS redeemed, 0 AS change
      FROM paid
      UNION ALL
      SELECT wallet, NULL, 0, 0, NULL, 0, (issued_at IS NOT NULL)::integer, coalesce(face_micros, 0),
        (redeemed_at IS NOT NULL)::integer, coalesce(change_micros, 0)
      FROM credits
    ) made GROUP BY wallet
  ),
  kept AS (${keptRollups}),
  counted AS (${countedRollups})
  SELECT rollup, key, kept.figures AS kept, counted.figures AS counted
  FROM kept FULL JOIN counted USING (rollup, key)`;

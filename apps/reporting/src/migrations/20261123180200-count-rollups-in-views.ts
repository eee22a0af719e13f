import type { MigrationInterface, QueryRunner } from 'typeorm';
import { previousRollups } from './20261122030000-create-audit-views';

/**
 * What the rollups of payments must be, counted from the rows they are made of: one view for each, named after its table.
 * The audit compares both, and the tables are filled from them here. The WITH in each makes it read-only.
 */
export class CountRollupsInViews1795456920000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, sql] of Object.entries(COUNTED))
      await runner.query(`CREATE VIEW audit.counted_${table} AS ${sql}`);
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${rollups}`);
    for (const table of Object.keys(COUNTED)) {
      await runner.query(`DELETE FROM ${table}`);
      await runner.query(`INSERT INTO ${table} SELECT * FROM audit.counted_${table}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${previousRollups}`);
    for (const table of Object.keys(COUNTED).reverse()) await runner.query(`DROP VIEW audit.counted_${table}`);
  }
}

const dayOf = (instant: string): string => `(${instant} AT TIME ZONE 'UTC')::date`;
const hourBits = (instant: string): string => `bit_or(1 << extract(hour FROM ${instant} AT TIME ZONE 'UTC')::integer)`;

const IS_UNPAID = `status = 'settlement_failed' AND served AND attributed_cost_micros > 0`;

/** A row for each instant at which something counts. */
const entries = `
  entries AS (
    SELECT verified_at AS at, endpoint, amount_micros AS gross, attributed_cost_micros AS cost, 1 AS paid, 0 AS by_credit,
      0 AS price, 0 AS settled_gross, 0 AS settled_cost, 0 AS settled, verified_at AS called_at,
      NULL::timestamptz AS ended_at
    FROM payments WHERE status = 'settled'
    UNION ALL
    SELECT settled_at, endpoint, 0, 0, 0, 0, 0, amount_micros, attributed_cost_micros, 1, NULL, settled_at
    FROM payments WHERE status = 'settled'
    UNION ALL
    SELECT verified_at, endpoint, 0, attributed_cost_micros, 0, 0, 0, 0, 0, 0, NULL, NULL FROM payments WHERE ${IS_UNPAID}
    UNION ALL
    SELECT failed_at, endpoint, 0, 0, 0, 0, 0, 0, attributed_cost_micros, 0, NULL, NULL FROM payments WHERE ${IS_UNPAID}
    UNION ALL
    SELECT redeemed_at, endpoint, 0, attributed_cost_micros, 0, 1, price_micros, 0, attributed_cost_micros, 0,
      redeemed_at, redeemed_at
    FROM credits WHERE redeemed_at IS NOT NULL
  )`;

const lowest = (bits: string): string => `(${bits} & -${bits})`;
const bitAt = (bits: string): string => `(${bits} >> h & 1)`;

/** By table, in an order in which each is made of rows and of tables before it. */
const COUNTED: Readonly<Record<string, string>> = {
  daily_totals: `
    WITH ${entries}
    SELECT ${dayOf('at')} AS day, endpoint, sum(gross) AS gross_micros, sum(cost) AS cost_micros, sum(paid) AS paid_calls,
      sum(by_credit) AS credit_calls, sum(price) AS rebate_redeemed_micros, max(called_at) AS last_call_at,
      sum(settled_gross) AS settled_gross_micros, sum(settled_cost) AS settled_cost_micros, sum(settled) AS settled_calls,
      max(ended_at) AS settled_last_at
    FROM entries GROUP BY 1, endpoint`,
  daily_payers: `
    WITH paid AS (SELECT * FROM payments WHERE status = 'settled'),
    hours AS (
      SELECT ${dayOf('verified_at')} AS day, endpoint, wallet, ${hourBits('verified_at')} AS call_hours, 0 AS settled_hours,
        count(*) AS paid_calls, sum(amount_micros) AS gross_micros
      FROM paid GROUP BY 1, 2, 3
      UNION ALL
      SELECT ${dayOf('settled_at')}, endpoint, wallet, 0, ${hourBits('settled_at')}, 0, 0 FROM paid GROUP BY 1, 2, 3
    )
    SELECT day, scope AS endpoint, wallet, bit_or(call_hours) AS call_hours, bit_or(settled_hours) AS settled_hours,
      sum(paid_calls) AS paid_calls, sum(gross_micros) AS gross_micros
    FROM hours, LATERAL (VALUES (endpoint), ('')) AS scopes (scope) GROUP BY day, scope, wallet`,
  daily_payer_counts: `
    WITH present AS (SELECT * FROM daily_payers)
    SELECT day, endpoint, count(*) FILTER (WHERE call_hours <> 0) AS payers,
      count(*) FILTER (WHERE settled_hours <> 0) AS settled_payers
    FROM present GROUP BY day, endpoint`,
  payers_by_last_day: `
    WITH last_days AS (
      SELECT endpoint, wallet, true AS by_call, max(day) AS last_day FROM daily_payers WHERE call_hours <> 0 GROUP BY 1, 2
      UNION ALL
      SELECT endpoint, wallet, false, max(day) FROM daily_payers WHERE settled_hours <> 0 GROUP BY 1, 2
    )
    SELECT endpoint, last_day, count(*) FILTER (WHERE by_call) AS wallets,
      count(*) FILTER (WHERE NOT by_call) AS settled_wallets
    FROM last_days GROUP BY endpoint, last_day`,
  payer_returns: `
    WITH pairs AS (
      SELECT endpoint, true AS by_call, lag(day, 1, '-infinity') OVER days AS previous, day
      FROM daily_payers WHERE call_hours <> 0 WINDOW days AS (PARTITION BY endpoint, wallet ORDER BY day)
      UNION ALL
      SELECT endpoint, false, lag(day, 1, '-infinity') OVER days, day
      FROM daily_payers WHERE settled_hours <> 0 WINDOW days AS (PARTITION BY endpoint, wallet ORDER BY day)
    )
    SELECT endpoint, span, begin AS previous, day, count(*) FILTER (WHERE by_call) AS wallets,
      count(*) FILTER (WHERE NOT by_call) AS settled_wallets
    FROM pairs,
      LATERAL (VALUES ('day', previous), ('month', date_trunc('month', previous::timestamp)::date)) AS spans (span, begin)
    GROUP BY endpoint, span, begin, day`,
  hourly_totals: `
    WITH ${entries},
    counted AS (
      SELECT date_trunc('hour', at, 'UTC') AS hour, scope AS endpoint, gross, cost, paid, by_credit, price, 0 AS payers, 0 AS new_payers,
        settled_gross, settled_cost, settled, 0 AS settled_payers, 0 AS settled_new_payers
      FROM entries, LATERAL (VALUES (endpoint), ('')) AS scopes (scope)
      UNION ALL
      SELECT (day + make_interval(hours => h)) AT TIME ZONE 'UTC', endpoint, 0, 0, 0, 0, 0, ${bitAt('call_hours')},
        ${bitAt(lowest('call_hours'))}, 0, 0, 0, ${bitAt('settled_hours')}, ${bitAt(lowest('settled_hours'))}
      FROM daily_payers, generate_series(0, 23) AS h
      WHERE ${bitAt('(call_hours | settled_hours)')} = 1
    )
    SELECT hour, endpoint, sum(gross) AS gross_micros, sum(cost) AS cost_micros, sum(paid) AS paid_calls,
      sum(by_credit) AS credit_calls, sum(price) AS rebate_redeemed_micros, sum(payers) AS payers,
      sum(new_payers) AS new_payers, sum(settled_gross) AS settled_gross_micros, sum(settled_cost) AS settled_cost_micros,
      sum(settled) AS settled_calls, sum(settled_payers) AS settled_payers, sum(settled_new_payers) AS settled_new_payers
    FROM counted GROUP BY hour, endpoint`,
  late_settlements: `
    WITH ended AS (
      SELECT ${dayOf('verified_at')} AS called, ${dayOf('coalesce(settled_at, failed_at)')} AS ended,
        (status = 'settled')::integer AS paid, amount_micros, attributed_cost_micros
      FROM payments WHERE status = 'settled' OR ${IS_UNPAID}
    )
    SELECT called, ended, sum(paid) AS paid_calls, sum(paid * amount_micros) AS gross_micros,
      sum(attributed_cost_micros) AS cost_micros
    FROM ended WHERE ended > called GROUP BY called, ended`,
};

/** Names of the columns that make a row the one it is, and the rows that are left out because they count nothing. */
const KEPT: Readonly<Record<keyof typeof COUNTED, { key: string; counts: string }>> = {
  daily_totals: {
    key: 'day, endpoint',
    counts:
      'paid_calls <> 0 OR cost_micros <> 0 OR credit_calls <> 0 OR settled_calls <> 0 OR settled_cost_micros <> 0',
  },
  daily_payers: { key: 'day, endpoint, wallet', counts: 'true' },
  daily_payer_counts: { key: 'day, endpoint', counts: 'payers <> 0 OR settled_payers <> 0' },
  payers_by_last_day: { key: 'endpoint, last_day', counts: 'wallets <> 0 OR settled_wallets <> 0' },
  payer_returns: { key: 'endpoint, span, previous, day', counts: 'wallets <> 0 OR settled_wallets <> 0' },
  hourly_totals: {
    key: 'hour, endpoint',
    counts:
      'paid_calls <> 0 OR cost_micros <> 0 OR credit_calls <> 0 OR settled_calls <> 0 OR settled_cost_micros <> 0',
  },
  late_settlements: { key: 'called, ended', counts: 'paid_calls <> 0 OR cost_micros <> 0' },
};

function rowsOf(relation: (table: string) => string): string {
  const parts = Object.entries(KEPT).map(
    ([table, { key, counts }]) =>
      `SELECT '${table}' AS rollup, jsonb_build_array(${key}) AS key, to_jsonb(t) AS figures FROM ${relation(table)} t WHERE ${counts}`,
  );
  return parts.join(' UNION ALL ');
}

const CREDIT_DAY_COUNTS = 'issued <> 0 OR redeemed <> 0 OR expiring <> 0';

const kept = `
  ${rowsOf((table) => table)}
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
  SELECT 'credit_days', jsonb_build_array(day), to_jsonb(t) FROM credit_days t WHERE ${CREDIT_DAY_COUNTS}
  UNION ALL
  SELECT 'settlement_totals', jsonb_build_array(status), to_jsonb(t) FROM settlement_totals t WHERE payments <> 0`;

/** The same, counted again from the rows of the ledger copy alone. */
const counted = `
  ${rowsOf((table) => `audit.counted_${table}`)}
  UNION ALL
  SELECT 'wallet_totals', jsonb_build_array(wallet), to_jsonb(c) FROM wallets c
  UNION ALL
  SELECT 'wallet_months', jsonb_build_array(month, wallet), to_jsonb(c) FROM (
    SELECT date_trunc('month', verified_at AT TIME ZONE 'UTC')::date AS month, wallet, count(*) AS paid_calls,
      sum(amount_micros) AS gross_micros
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
    SELECT day, sum(issued) AS issued, sum(issued * face) AS issued_face_micros, sum(redeemed) AS redeemed,
      sum(price) AS redeemed_price_micros, sum(change) AS change_micros, sum(expiring) AS expiring,
      sum(expiring * face) AS expiring_face_micros
    FROM (
      SELECT (issued_at AT TIME ZONE 'UTC')::date AS day, 1 AS issued, face_micros AS face, 0 AS redeemed, 0 AS price,
        0 AS change, 0 AS expiring
      FROM credits WHERE issued_at IS NOT NULL
      UNION ALL
      SELECT (redeemed_at AT TIME ZONE 'UTC')::date, 0, 0, 1, price_micros, change_micros, 0
      FROM credits WHERE redeemed_at IS NOT NULL
      UNION ALL
      SELECT (expires_at AT TIME ZONE 'UTC')::date, 0, face_micros, 0, 0, 0, 1
      FROM credits WHERE expires_at IS NOT NULL AND redeemed_at IS NULL
    ) made GROUP BY day
  ) c
  UNION ALL
  SELECT 'settlement_totals', jsonb_build_array(status), to_jsonb(c)
  FROM (SELECT status, count(*) AS payments, sum(amount_micros) AS amount_micros FROM payments GROUP BY status) c`;

/** The view `audit.rollups` as it is made here; a later migration adds to it. */
export const rollups = `
  WITH paid AS (SELECT * FROM payments WHERE status = 'settled'),
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
  kept AS (${kept}),
  counted AS (${counted})
  SELECT rollup, key, kept.figures AS kept, counted.figures AS counted
  FROM kept FULL JOIN counted USING (rollup, key)`;

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { rollups } from './20261123180200-count-rollups-in-views';

/**
 * The payers of any window from one row for each of its days, in the place of `payer_returns`. What workers of the release before
 * this one apply from here on is not in it: a rebuild counts it, as after every new rollup.
 */
export class CountPayersByGap1795690800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Arrays stay in their rows as they are: two fill more than a page only after three years, and one of them is kept apart then.
    await runner.query(`
      CREATE TABLE payers_by_gap (
        endpoint text NOT NULL,
        day date NOT NULL,
        wallets integer[] STORAGE EXTERNAL NOT NULL CHECK (cardinality(wallets) BETWEEN 1 AND ${MOST_WINDOW_DAYS}),
        settled_wallets integer[] STORAGE EXTERNAL NOT NULL CHECK (cardinality(settled_wallets) BETWEEN 1 AND ${MOST_WINDOW_DAYS}),
        PRIMARY KEY (endpoint, day)
      ) WITH (fillfactor = 60, toast_tuple_target = 8160)`);
    await runner.query(`COMMENT ON TABLE payers_by_gap IS
      'Wallets that paid on the day: element 1 all of them, element k those that had not paid on the k - 1 days before it, the
       last one stands for all further ones. Of the days of a window, each with its place in it, they are its distinct payers'`);
    await runner.query(`CREATE VIEW audit.counted_payers_by_gap AS ${counted}`);
    await runner.query('INSERT INTO payers_by_gap SELECT * FROM audit.counted_payers_by_gap');
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${rollupsWithGaps}`);
    await runner.query(`COMMENT ON TABLE payer_returns IS 'Written by the release before this one alone'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`COMMENT ON TABLE payer_returns IS
      'Wallets that paid on the day, by the day or the month in which they had paid last before it, -infinity for never:
       those of a window that had not paid since it began are its distinct payers'`);
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${rollups} UNION ALL ${cohorts}`);
    await runner.query('DROP VIEW audit.counted_payers_by_gap');
    await runner.query('DROP TABLE payers_by_gap');
  }
}

/** The longest array, for the longest window. */
const MOST_WINDOW_DAYS = 1_101;

const counted = `
  WITH pairs AS (
    SELECT true AS by_call, endpoint, lag(day) OVER days AS previous, day
    FROM daily_payers WHERE call_hours <> 0 WINDOW days AS (PARTITION BY endpoint, wallet ORDER BY day)
    UNION ALL
    SELECT false, endpoint, lag(day) OVER days, day
    FROM daily_payers WHERE settled_hours <> 0 WINDOW days AS (PARTITION BY endpoint, wallet ORDER BY day)
  ),
  gaps AS (
    SELECT endpoint, day, gap, sum(counts) FILTER (WHERE by_call) AS wallets, sum(counts) FILTER (WHERE NOT by_call) AS settled_wallets
    FROM pairs, LATERAL (VALUES (least(day - previous, ${MOST_WINDOW_DAYS}), 1), (${MOST_WINDOW_DAYS}, 0)) AS found (gap, counts)
    GROUP BY endpoint, day, gap
  ),
  steps AS (
    SELECT endpoint, day, gap, lag(gap, 1, 0) OVER (of_day ORDER BY gap) + 1 AS first,
      coalesce(sum(wallets) OVER longest, 0) AS wallets, coalesce(sum(settled_wallets) OVER longest, 0) AS settled_wallets
    FROM gaps WINDOW of_day AS (PARTITION BY endpoint, day), longest AS (of_day ORDER BY gap DESC)
  )
  SELECT endpoint, day, array_agg(wallets::integer ORDER BY k) AS wallets,
    array_agg(settled_wallets::integer ORDER BY k) AS settled_wallets
  FROM steps, generate_series(first, CASE gap WHEN ${MOST_WINDOW_DAYS} THEN first ELSE gap END) AS k
  GROUP BY endpoint, day`;

/** Without the elements at the end that are equal: late payments leave some. */
const shortened = (column: string): string => `
  ${column}[:coalesce((SELECT max(k) + 1 FROM generate_subscripts(${column}, 1) AS k WHERE ${column}[k] <> ${column}[k + 1]), 1)]`;

const keyed = (relation: string): string => `
  SELECT jsonb_build_array(endpoint, day) AS key,
    jsonb_build_object('wallets', ${shortened('wallets')}, 'settled_wallets', ${shortened('settled_wallets')}) AS figures
  FROM ${relation}`;

const compared = `
  SELECT 'payers_by_gap', key, own.figures, again.figures
  FROM (${keyed('payers_by_gap')}) own FULL JOIN (${keyed('audit.counted_payers_by_gap')}) again USING (key)`;

const keyedCohorts = (relation: string): string => `
  SELECT jsonb_build_array(cohort, month) AS key, to_jsonb(t) AS figures FROM ${relation} t WHERE wallets <> 0`;

const cohorts = `
  SELECT 'cohort_months', key, own.figures, again.figures
  FROM (${keyedCohorts('cohort_months')}) own FULL JOIN (${keyedCohorts('audit.counted_cohort_months')}) again USING (key)`;

/** The view `audit.rollups` as it is made here; a later migration changes it. */
export const rollupsWithGaps = `
  SELECT * FROM (${rollups}) AS earlier WHERE rollup <> 'payer_returns'
  UNION ALL ${cohorts}
  UNION ALL ${compared}`;

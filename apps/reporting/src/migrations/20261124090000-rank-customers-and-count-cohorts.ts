import type { MigrationInterface, QueryRunner } from 'typeorm';
import { rollups } from './20261123180200-count-rollups-in-views';

/** Customers in any of their orders, and cohorts as sums: both cost the same however many wallets there are. */
export class RankCustomersAndCountCohorts1795510800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, column] of Object.entries(ORDERS)) {
      await runner.query(
        `CREATE INDEX ${name} ON wallet_totals (${column} DESC, first_payment_at, wallet) WHERE paid_calls > 0`,
      );
    }
    await runner.query(`CREATE INDEX wallet_months_ranking ON wallet_months (month, gross_micros DESC, wallet)`);
    await runner.query(`
      CREATE TABLE cohort_months (
        cohort date NOT NULL,
        month date NOT NULL CHECK (month >= cohort),
        wallets bigint NOT NULL,
        paid_calls bigint NOT NULL,
        gross_micros bigint NOT NULL,
        PRIMARY KEY (cohort, month)
      ) WITH (fillfactor = 60)`);
    await runner.query(
      `COMMENT ON TABLE cohort_months IS 'What wallets paid in a month, by the month of their first payment'`,
    );
    await runner.query(`CREATE VIEW audit.counted_cohort_months AS ${counted}`);
    await runner.query(`INSERT INTO cohort_months SELECT * FROM audit.counted_cohort_months`);
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${rollups} UNION ALL ${compared}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE OR REPLACE VIEW audit.rollups AS ${rollups}`);
    await runner.query('DROP VIEW audit.counted_cohort_months');
    await runner.query('DROP TABLE cohort_months');
    await runner.query(`DROP INDEX wallet_months_ranking, ${Object.keys(ORDERS).join(', ')}`);
  }
}

const ORDERS = {
  wallet_totals_by_calls: 'paid_calls',
  wallet_totals_by_last_payment: 'last_payment_at',
};

const counted = `
  WITH followed AS (
    SELECT date_trunc('month', w.first_payment_at AT TIME ZONE 'UTC')::date AS cohort, m.month, m.paid_calls,
      m.gross_micros
    FROM wallet_totals w JOIN wallet_months m USING (wallet)
  )
  SELECT cohort, month, count(*) AS wallets, sum(paid_calls) AS paid_calls, sum(gross_micros) AS gross_micros
  FROM followed GROUP BY cohort, month`;

const keyed = (relation: string): string => `
  SELECT jsonb_build_array(cohort, month) AS key, to_jsonb(t) AS figures FROM ${relation} t WHERE wallets <> 0`;

const compared = `
  SELECT 'cohort_months', key, own.figures, again.figures
  FROM (${keyed('cohort_months')}) own FULL JOIN (${keyed('audit.counted_cohort_months')}) again USING (key)`;

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums by the day of settlement and by hour, and payers of any window. Days and hours are in UTC. */
export class CountBySettlementAndHour1795456800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.addSums(runner);
    await this.addPayers(runner);
    await this.addExpiry(runner);
  }

  private async addSums(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE daily_totals
        ADD settled_gross_micros bigint NOT NULL DEFAULT 0,
        ADD settled_cost_micros bigint NOT NULL DEFAULT 0,
        ADD settled_calls bigint NOT NULL DEFAULT 0,
        ADD settled_last_at timestamptz`);
    await runner.query(`COMMENT ON TABLE daily_totals IS
      'Payments count on the day of their call, in the columns settled_ on the day of their settlement; credits in both'`);
    await runner.query(`
      CREATE TABLE hourly_totals (
        hour timestamptz NOT NULL,
        endpoint text NOT NULL,
        gross_micros bigint NOT NULL DEFAULT 0,
        cost_micros bigint NOT NULL DEFAULT 0,
        paid_calls bigint NOT NULL DEFAULT 0,
        credit_calls bigint NOT NULL DEFAULT 0,
        rebate_redeemed_micros bigint NOT NULL DEFAULT 0,
        payers bigint NOT NULL DEFAULT 0,
        new_payers bigint NOT NULL DEFAULT 0,
        settled_gross_micros bigint NOT NULL DEFAULT 0,
        settled_cost_micros bigint NOT NULL DEFAULT 0,
        settled_calls bigint NOT NULL DEFAULT 0,
        settled_payers bigint NOT NULL DEFAULT 0,
        settled_new_payers bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (hour, endpoint)
      ) WITH (fillfactor = 60)`);
    await runner.query(`COMMENT ON COLUMN hourly_totals.new_payers IS
      'Wallets that had not paid earlier on this day: their sum over hours is distinct'`);
    await runner.query(`
      CREATE TABLE late_settlements (
        called date NOT NULL,
        ended date NOT NULL CHECK (ended > called),
        paid_calls bigint NOT NULL,
        gross_micros bigint NOT NULL,
        cost_micros bigint NOT NULL,
        PRIMARY KEY (called, ended)
      ) WITH (fillfactor = 60)`);
    await runner.query(
      `COMMENT ON TABLE late_settlements IS 'Payments that settled or failed on a later day than their call'`,
    );
    // Read backwards: what settled or failed last comes first.
    await runner.query(`CREATE INDEX payments_ended ON payments ((coalesce(settled_at, failed_at)), id)`);
    await runner.query(`CREATE INDEX credits_redeemed ON credits (redeemed_at) WHERE redeemed_at IS NOT NULL`);
  }

  private async addPayers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE daily_payers
        ADD call_hours integer NOT NULL DEFAULT 0,
        ADD settled_hours integer NOT NULL DEFAULT 0,
        ADD paid_calls bigint NOT NULL DEFAULT 0,
        ADD gross_micros bigint NOT NULL DEFAULT 0,
        DROP CONSTRAINT daily_payers_pkey,
        ADD PRIMARY KEY (endpoint, wallet, day)`);
    await runner.query(
      `COMMENT ON COLUMN daily_payers.call_hours IS 'A bit for each hour in which a call of it was paid'`,
    );
    await runner.query(
      `COMMENT ON COLUMN daily_payers.settled_hours IS 'A bit for each hour in which a payment of it settled'`,
    );
    await runner.query(`ALTER TABLE daily_payer_counts ADD settled_payers bigint NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE payers_by_last_day ADD settled_wallets bigint NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE payer_returns (
        endpoint text NOT NULL,
        span text NOT NULL CHECK (span IN ('day', 'month')),
        previous date NOT NULL,
        day date NOT NULL,
        wallets bigint NOT NULL,
        settled_wallets bigint NOT NULL,
        PRIMARY KEY (endpoint, span, previous, day)
      ) WITH (fillfactor = 60, parallel_workers = 0)`);
    await runner.query(`COMMENT ON TABLE payer_returns IS
      'Wallets that paid on the day, by the day or the month in which they had paid last before it, -infinity for never:
       those of a window that had not paid since it began are its distinct payers'`);
    await runner.query(`COMMENT ON TABLE wallet_last_days IS 'Written by the release before this one alone'`);
  }

  private async addExpiry(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE credits ADD expires_at timestamptz`);
    await runner.query(`CREATE INDEX credits_expiring ON credits (expires_at) WHERE redeemed_at IS NULL`);
    await runner.query(`
      ALTER TABLE credit_days
        ADD expiring bigint NOT NULL DEFAULT 0,
        ADD expiring_face_micros bigint NOT NULL DEFAULT 0`);
    await runner.query(
      `COMMENT ON COLUMN credit_days.expiring IS 'Issued, not redeemed, and worth nothing from an instant of this day on'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credit_days DROP expiring, DROP expiring_face_micros');
    await runner.query('ALTER TABLE credits DROP expires_at');
    await runner.query('DROP TABLE payer_returns, late_settlements, hourly_totals');
    await runner.query('ALTER TABLE payers_by_last_day DROP settled_wallets');
    await runner.query('ALTER TABLE daily_payer_counts DROP settled_payers');
    await runner.query(`
      ALTER TABLE daily_payers DROP CONSTRAINT daily_payers_pkey, DROP call_hours, DROP settled_hours, DROP paid_calls,
        DROP gross_micros, ADD PRIMARY KEY (day, endpoint, wallet)`);
    await runner.query('DROP INDEX credits_redeemed, payments_ended');
    await runner.query(`
      ALTER TABLE daily_totals DROP settled_gross_micros, DROP settled_cost_micros, DROP settled_calls,
        DROP settled_last_at`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of the ledger copy, so that no answer costs more when there are more payments. They are updated in the
 * transaction that applies the events. Days are in UTC; endpoint '' stands for all endpoints together.
 */
export class CreateRollups1795312860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE daily_totals (
        day date NOT NULL,
        endpoint text NOT NULL,
        gross_micros bigint NOT NULL DEFAULT 0,
        cost_micros bigint NOT NULL DEFAULT 0,
        paid_calls bigint NOT NULL DEFAULT 0,
        credit_calls bigint NOT NULL DEFAULT 0,
        rebate_redeemed_micros bigint NOT NULL DEFAULT 0,
        last_call_at timestamptz,
        PRIMARY KEY (day, endpoint)
      ) WITH (fillfactor = 60)`);
    await this.createPayers(runner);
    await this.createWallets(runner);
    await runner.query(`
      CREATE TABLE credit_totals (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        issued bigint NOT NULL DEFAULT 0,
        redeemed bigint NOT NULL DEFAULT 0,
        issued_face_micros bigint NOT NULL DEFAULT 0,
        redeemed_price_micros bigint NOT NULL DEFAULT 0,
        change_micros bigint NOT NULL DEFAULT 0,
        outstanding bigint GENERATED ALWAYS AS (issued - redeemed) VIRTUAL,
        outstanding_face_micros bigint GENERATED ALWAYS AS
          (issued_face_micros - redeemed_price_micros - change_micros) VIRTUAL
      ) WITH (fillfactor = 60)`);
    await runner.query(`INSERT INTO credit_totals DEFAULT VALUES`);
    await runner.query(`
      CREATE TABLE settlement_totals (
        status text PRIMARY KEY,
        payments bigint NOT NULL DEFAULT 0,
        amount_micros bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 60)`);
  }

  /** A new row counts: distinct wallets stay exact without counting them again. */
  private async createPayers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE daily_payers (
        day date NOT NULL,
        endpoint text NOT NULL,
        wallet text NOT NULL,
        PRIMARY KEY (day, endpoint, wallet)
      )`);
    await runner.query(`
      CREATE TABLE daily_payer_counts (
        day date NOT NULL,
        endpoint text NOT NULL,
        payers bigint NOT NULL,
        PRIMARY KEY (day, endpoint)
      ) WITH (fillfactor = 60)`);
    await runner.query(`
      CREATE TABLE wallet_last_days (
        endpoint text NOT NULL,
        wallet text NOT NULL,
        last_day date NOT NULL,
        PRIMARY KEY (endpoint, wallet)
      ) WITH (fillfactor = 80)`);
    // As every window ends today, its distinct payers are the wallets whose last paid day is in it.
    await runner.query(`
      CREATE TABLE payers_by_last_day (
        endpoint text NOT NULL,
        last_day date NOT NULL,
        wallets bigint NOT NULL,
        PRIMARY KEY (endpoint, last_day)
      ) WITH (fillfactor = 60)`);
  }

  private async createWallets(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_totals (
        wallet text PRIMARY KEY,
        tier text,
        lifetime_micros bigint NOT NULL DEFAULT 0,
        paid_calls bigint NOT NULL DEFAULT 0,
        credit_calls bigint NOT NULL DEFAULT 0,
        first_payment_at timestamptz,
        last_payment_at timestamptz,
        rebate_earned_micros bigint NOT NULL DEFAULT 0,
        rebate_issued_micros bigint NOT NULL DEFAULT 0,
        change_micros bigint NOT NULL DEFAULT 0,
        credits_issued bigint NOT NULL DEFAULT 0,
        credits_redeemed bigint NOT NULL DEFAULT 0,
        rebate_accrued_micros bigint GENERATED ALWAYS AS
          (rebate_earned_micros + change_micros - rebate_issued_micros) VIRTUAL,
        credits_outstanding bigint GENERATED ALWAYS AS (credits_issued - credits_redeemed) VIRTUAL
      ) WITH (fillfactor = 80)`);
    await runner.query(`COMMENT ON COLUMN wallet_totals.tier IS 'Null until a payment of the wallet is settled'`);
    await runner.query(`
      CREATE INDEX wallet_totals_ranking ON wallet_totals (lifetime_micros DESC, first_payment_at, wallet)
      WHERE paid_calls > 0`);
    await runner.query(`
      CREATE TABLE tier_totals (tier text PRIMARY KEY, wallets bigint NOT NULL) WITH (fillfactor = 60)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE settlement_totals, credit_totals, tier_totals, wallet_totals, payers_by_last_day,
      wallet_last_days, daily_payer_counts, daily_payers, daily_totals`);
  }
}

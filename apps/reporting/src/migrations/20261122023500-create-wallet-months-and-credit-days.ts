import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums for cohorts and for the liability of credits, updated with the other rollups. Days and months are in UTC. */
export class CreateWalletMonthsAndCreditDays1795314900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_months (
        month date NOT NULL,
        wallet text NOT NULL,
        paid_calls bigint NOT NULL,
        gross_micros bigint NOT NULL,
        PRIMARY KEY (month, wallet)
      ) WITH (fillfactor = 80)`);
    await runner.query(`
      CREATE TABLE credit_days (
        day date PRIMARY KEY,
        issued bigint NOT NULL,
        issued_face_micros bigint NOT NULL,
        redeemed bigint NOT NULL,
        redeemed_price_micros bigint NOT NULL,
        change_micros bigint NOT NULL
      ) WITH (fillfactor = 60)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE credit_days, wallet_months');
  }
}

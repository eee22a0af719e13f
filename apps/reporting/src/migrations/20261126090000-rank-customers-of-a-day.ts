import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who spent most on one day: without it a page of them is found among the payers of the whole month. */
export class RankCustomersOfADay1795683600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX daily_payers_ranking ON daily_payers (day, gross_micros DESC, wallet) WHERE endpoint = ''`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX daily_payers_ranking');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a habit has in the app that it came from, so that it is there again where a file for that app is written: its question, how often it
 * is due there, and that it was active. A habit over the cap of the plan arrives archived at the instant of `archived_over_cap_at`.
 */
export class CarryFactsOfFiles1795873500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE habits ADD COLUMN question text, ADD COLUMN interval_times smallint, ADD COLUMN interval_days smallint,
        ADD COLUMN archived_over_cap_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE habits DROP COLUMN question, DROP COLUMN interval_times, DROP COLUMN interval_days,
        DROP COLUMN archived_over_cap_at`);
  }
}

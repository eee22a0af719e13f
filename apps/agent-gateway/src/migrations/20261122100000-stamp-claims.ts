import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a payment was claimed by the clock of the database, which all replicas share. No row is written again for it. */
export class StampClaims1795341600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payments ADD COLUMN claimed_at timestamptz NOT NULL DEFAULT now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE payments DROP COLUMN claimed_at`);
  }
}

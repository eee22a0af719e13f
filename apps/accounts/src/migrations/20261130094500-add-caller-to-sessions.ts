import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A session may outlive what is remembered of the sign-in that opened it. */
export class AddCallerToSessions1796031900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions ADD COLUMN IF NOT EXISTS caller_hash bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions DROP COLUMN caller_hash`);
  }
}

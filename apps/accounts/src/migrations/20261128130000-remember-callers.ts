import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From where an account was signed in: while it is guessed at from everywhere, only those callers may go on trying. */
export class RememberCallers1795870800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // A hash of the whole address, or of the /64 of an IPv6 one; null for what is not about a sign-in, and in old rows.
    await runner.query(`ALTER TABLE security_events ADD COLUMN IF NOT EXISTS caller_hash bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE security_events DROP COLUMN caller_hash`);
  }
}

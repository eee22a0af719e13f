import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What guards sign-in: failed attempts by the hash of the address as typed, and a log of what matters for security. */
export class CreateSecurity1795420860000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE login_failures (
        id uuid PRIMARY KEY,
        address_hash bytea NOT NULL,
        network text NOT NULL,
        failed_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX login_failures_of ON login_failures (address_hash, network, failed_at)`);
    await runner.query(`CREATE INDEX login_failures_by_age ON login_failures (failed_at)`);
    await runner.query(`
      CREATE TABLE security_events (
        id uuid PRIMARY KEY,
        user_id uuid,
        session_id uuid,
        kind text NOT NULL,
        network text,
        occurred_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX security_events_of_user ON security_events (user_id, occurred_at)`);
    await runner.query(`CREATE INDEX security_events_by_age ON security_events (occurred_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE security_events, login_failures`);
  }
}

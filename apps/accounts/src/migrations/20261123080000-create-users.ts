import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People and their sign-in. A deleted user keeps a row without anything personal until the worker has erased the rest. */
export class CreateUsers1795420800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE users (
        id uuid PRIMARY KEY,
        email text CHECK (length(email) <= 254),
        email_key text UNIQUE,
        email_verified_at timestamptz,
        password_hash text,
        password_breached boolean NOT NULL DEFAULT false,
        display_name text,
        timezone text,
        locale text NOT NULL DEFAULT 'en',
        day_start_minutes smallint NOT NULL DEFAULT 0 CHECK (day_start_minutes BETWEEN 0 AND 1439),
        week_start text NOT NULL DEFAULT 'MONDAY' CHECK (week_start IN ('MONDAY', 'SUNDAY', 'SATURDAY')),
        change_number bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        deleted_at timestamptz,
        CHECK ((deleted_at IS NULL) = (email_key IS NOT NULL AND email IS NOT NULL AND password_hash IS NOT NULL))
      )`);
    await runner.query(`CREATE INDEX users_to_erase ON users (deleted_at) WHERE deleted_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE sessions (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        user_agent text,
        network text NOT NULL,
        signed_in_at timestamptz NOT NULL,
        last_used_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        ends_at timestamptz NOT NULL,
        revoked_at timestamptz,
        CHECK (expires_at <= ends_at)
      )`);
    await runner.query(`CREATE INDEX sessions_of_user ON sessions (user_id, signed_in_at)`);
    await runner.query(`CREATE INDEX sessions_by_end ON sessions (least(expires_at, revoked_at))`);
    await runner.query(`
      CREATE TABLE refresh_tokens (
        id uuid PRIMARY KEY,
        session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
        parent_id uuid REFERENCES refresh_tokens ON DELETE CASCADE,
        token_hash bytea NOT NULL UNIQUE,
        key_id text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz,
        revoked_at timestamptz
      )`);
    await runner.query(`
      CREATE UNIQUE INDEX refresh_tokens_live ON refresh_tokens (session_id)
      WHERE used_at IS NULL AND revoked_at IS NULL`);
    await runner.query(`CREATE INDEX refresh_tokens_parent ON refresh_tokens (parent_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE refresh_tokens, sessions, users`);
  }
}

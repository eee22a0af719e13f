import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails that wait, and the tokens in them. A token is derived from the id of its row, so nothing readable waits here. */
export class CreateMails1795420920000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mail_tokens (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        kind text NOT NULL CHECK (kind IN ('verify', 'reset')),
        email text NOT NULL,
        token_hash bytea NOT NULL UNIQUE,
        key_id text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        -- Somebody asked for it, which is limited; the first of an account is sent by itself.
        asked boolean NOT NULL
      )`);
    await runner.query(`CREATE UNIQUE INDEX mail_tokens_live ON mail_tokens (user_id, kind) WHERE ended_at IS NULL`);
    await runner.query(`CREATE INDEX mail_tokens_by_age ON mail_tokens (expires_at)`);
    await runner.query(`CREATE INDEX mail_tokens_of_user ON mail_tokens (user_id, created_at)`);
    await runner.query(`
      CREATE TABLE mails (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        kind text NOT NULL,
        recipient text NOT NULL,
        token_id uuid REFERENCES mail_tokens ON DELETE CASCADE,
        created_at timestamptz NOT NULL,
        send_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0
      )`);
    await runner.query(`CREATE INDEX mails_by_turn ON mails (send_at)`);
    await runner.query(`CREATE INDEX mails_of_user ON mails (user_id)`);
    await runner.query(`CREATE INDEX mails_of_token ON mails (token_id)`);
    // Asked for an address that somebody may have or not: the worker looks, so that no answer takes longer for one.
    await runner.query(`
      CREATE TABLE reset_requests (
        id uuid PRIMARY KEY,
        email_key text NOT NULL,
        asked_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX reset_requests_by_age ON reset_requests (asked_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE reset_requests, mails, mail_tokens`);
  }
}

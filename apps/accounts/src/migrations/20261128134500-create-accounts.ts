import { createIdempotencyKeys, dropIdempotencyKeys } from '@evenkeel/platform/auth';
import {
  createInbox,
  createOutbox,
  createProgress,
  dropInbox,
  dropOutbox,
  dropProgress,
} from '@evenkeel/platform/messaging';
import { createOperatorActions, dropOperatorActions } from '@evenkeel/platform/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AUDIT_VIEWS } from './audit-views';
import { createHabits } from './create-habits';

/** Everything that accounts stores, as its first release has it. */
export class CreateAccounts1795873500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
    await this.createUsers(runner);
    await this.createSecurity(runner);
    await this.createMails(runner);
    await this.createEntitlements(runner);
    await createHabits(runner);
    await this.createAnalysis(runner);
    await this.createOperations(runner);
    await runner.query(`CREATE SCHEMA audit`);
    for (const [name, select] of Object.entries(AUDIT_VIEWS)) {
      await runner.query(`CREATE VIEW audit.${name} AS ${select}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP SCHEMA audit CASCADE`);
    await dropIdempotencyKeys(runner);
    await dropOperatorActions(runner);
    await dropProgress(runner);
    await runner.query(
      `DROP TABLE deletion_receipts, entitlements, insights, usage_months, deletions, habit_logs, habits`,
    );
    await runner.query(`DROP TABLE reset_requests, mails, mail_tokens, security_events, login_failures`);
    await runner.query(`DROP TABLE refresh_tokens, sessions, users`);
    await dropInbox(runner);
    await dropOutbox(runner);
  }

  /** People and their sign-in. A deleted user keeps a row without anything personal until the worker has erased the rest. */
  private async createUsers(runner: QueryRunner): Promise<void> {
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

  /** Failed attempts by the hash of the address as typed, and a log of what matters for security. */
  private async createSecurity(runner: QueryRunner): Promise<void> {
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
        occurred_at timestamptz NOT NULL,
        -- Of the whole address, or of the /64 of an IPv6 one; null for what is not about a sign-in.
        caller_hash bytea
      )`);
    await runner.query(`CREATE INDEX security_events_of_user ON security_events (user_id, occurred_at)`);
    await runner.query(`CREATE INDEX security_events_by_age ON security_events (occurred_at)`);
  }

  /** Mails that wait, and the tokens in them. A token is derived from the id of its row, so nothing readable waits here. */
  private async createMails(runner: QueryRunner): Promise<void> {
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

  /** Own copy of what billing says of a user. A row may come before its user, and outlive them: it holds no personal data. */
  private async createEntitlements(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE entitlements (
        user_id uuid PRIMARY KEY,
        version integer NOT NULL,
        access_until timestamptz,
        ever_premium boolean NOT NULL,
        changed_at timestamptz NOT NULL
      )`);
    await createProgress(runner, 'accounts');
  }

  /** The count of a month, and insights, one of a code and day for each habit. */
  private async createAnalysis(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage_months (
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        period text NOT NULL CHECK (period ~ '^\\d{4}-(0[1-9]|1[0-2])$'),
        used integer NOT NULL CHECK (used >= 0),
        version integer NOT NULL CHECK (version >= used),
        PRIMARY KEY (user_id, period)
      )`);
    await runner.query(`
      CREATE TABLE insights (
        id uuid NOT NULL,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        habit_id uuid NOT NULL REFERENCES habits ON DELETE CASCADE,
        kind text NOT NULL,
        code text NOT NULL,
        severity text NOT NULL CHECK (severity IN ('info', 'warning')),
        title text NOT NULL,
        body text NOT NULL,
        evidence json NOT NULL,
        period_from date NOT NULL,
        period_to date NOT NULL,
        free_readable boolean NOT NULL,
        local_date date NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (user_id, id),
        UNIQUE (habit_id, code, local_date)
      )`);
    await runner.query(`CREATE INDEX insights_newest ON insights (user_id, created_at DESC, id DESC)`);
  }

  /** Receipts of deleted accounts, which name nobody; what operators did by hand; answers to requests that may come again. */
  private async createOperations(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deletion_receipts (
        id uuid PRIMARY KEY,
        deleted_at timestamptz NOT NULL
      )`);
    await createOperatorActions(runner);
    await createIdempotencyKeys(runner, 'users');
  }
}

import { createOperatorActions, dropOperatorActions } from '@evenkeel/platform/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is open at the provider: checkouts, reads that wait, customers that have to go; and what operators did by hand. */
export class CreateWork1795435380000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The id is the idempotency key of the session at the provider. One page of a user is open at a time.
    await runner.query(`
      CREATE TABLE checkouts (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL,
        plan_code text NOT NULL,
        trial_days integer NOT NULL,
        session_id text UNIQUE,
        created_at timestamptz NOT NULL,
        closed_at timestamptz
      )`);
    await runner.query(`CREATE UNIQUE INDEX checkouts_open ON checkouts (user_id) WHERE closed_at IS NULL`);

    await runner.query(`
      CREATE TABLE provider_reads (
        kind text NOT NULL CHECK (kind IN ('subscription', 'charge')),
        id text NOT NULL,
        reason text NOT NULL,
        answer_after timestamptz,
        asked_at timestamptz NOT NULL,
        due_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        PRIMARY KEY (kind, id)
      )`);
    await runner.query(`CREATE INDEX provider_reads_due ON provider_reads (due_at)`);

    // Kept by a rebuild: whom the provider still has to forget.
    await runner.query(`
      CREATE TABLE departures (
        user_id uuid PRIMARY KEY,
        asked_at timestamptz NOT NULL,
        due_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        done_at timestamptz
      )`);
    await runner.query(`CREATE INDEX departures_due ON departures (due_at) WHERE done_at IS NULL`);
    await createOperatorActions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOperatorActions(runner);
    await runner.query('DROP TABLE departures, provider_reads, checkouts');
  }
}

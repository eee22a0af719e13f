import { createRevokedSessions, dropRevokedSessions } from '@evenkeel/platform/auth';
import { createProgress, dropProgress } from '@evenkeel/platform/projection';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What accounts says of people, and made of its events alone: a rebuild empties these tables. */
export class CreatePeople1795435200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE people (
        user_id uuid PRIMARY KEY,
        verified_at timestamptz,
        deleted_at timestamptz,
        changed_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE usage_months (
        user_id uuid NOT NULL,
        period text NOT NULL,
        used integer NOT NULL,
        version integer NOT NULL,
        PRIMARY KEY (user_id, period)
      )`);
    await createRevokedSessions(runner);
    await createProgress(runner, 'billing');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropProgress(runner);
    await dropRevokedSessions(runner);
    await runner.query('DROP TABLE usage_months, people');
  }
}

import { createProgress, dropProgress } from '@evenkeel/platform/projection';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Own copy of what billing says of a user. A row may come before its user, and outlive them: it holds no personal data. */
export class CreateEntitlements1795420980000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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

  async down(runner: QueryRunner): Promise<void> {
    await dropProgress(runner);
    await runner.query(`DROP TABLE entitlements`);
  }
}

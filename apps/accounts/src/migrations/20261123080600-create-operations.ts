import { createOperatorActions, dropOperatorActions } from '@evenkeel/platform/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Receipts of deleted accounts, which name nobody, and what operators did by hand. */
export class CreateOperations1795421160000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deletion_receipts (
        id uuid PRIMARY KEY,
        deleted_at timestamptz NOT NULL
      )`);
    await createOperatorActions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOperatorActions(runner);
    await runner.query(`DROP TABLE deletion_receipts`);
  }
}

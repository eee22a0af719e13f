import { addTraceparent } from '@evenkeel/platform/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TraceEvents1795449600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addTraceparent(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE outbox DROP COLUMN traceparent`);
  }
}

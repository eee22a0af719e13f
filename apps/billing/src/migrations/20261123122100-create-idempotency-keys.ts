import { createIdempotencyKeys, dropIdempotencyKeys } from '@evenkeel/platform/idempotency';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of requests that may come again. */
export class CreateIdempotencyKeys1795436460000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIdempotencyKeys(runner);
  }
}

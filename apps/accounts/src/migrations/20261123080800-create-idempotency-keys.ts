import { createIdempotencyKeys, dropIdempotencyKeys } from '@evenkeel/platform/idempotency';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers to requests that may come again; they go with their user. */
export class CreateIdempotencyKeys1795421280000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(runner, 'users');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIdempotencyKeys(runner);
  }
}

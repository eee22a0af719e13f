import { createProgress, dropProgress } from '@evenkeel/platform/projection';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the worker has come, for the process that answers questions, and requests to restart. */
export class CreateProgress1795312920000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return createProgress(runner);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropProgress(runner);
  }
}

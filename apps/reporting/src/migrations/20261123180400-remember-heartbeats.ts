import { createHeartbeats, dropHeartbeats } from '@evenkeel/platform/projection';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the streams say of themselves: whether they work, and how long their oldest event waits. */
export class RememberHeartbeats1795457040000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return createHeartbeats(runner);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropHeartbeats(runner);
  }
}

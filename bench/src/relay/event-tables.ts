import { createInbox, createOutbox, dropInbox, dropOutbox } from '@evenkeel/platform/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateEventTables1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropInbox(runner);
    await dropOutbox(runner);
  }
}

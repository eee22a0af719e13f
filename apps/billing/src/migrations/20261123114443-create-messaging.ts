import { createInbox, createOutbox, dropInbox, dropOutbox } from '@evenkeel/platform/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of events: those that are sent, and those that have come. */
export class CreateMessaging1795434283283 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropInbox(runner);
    await dropOutbox(runner);
  }
}

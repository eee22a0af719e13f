import { createOutboxDelivery, dropOutboxDelivery } from '@evenkeel/platform/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeliverOutbox1795291200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutboxDelivery(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOutboxDelivery(runner);
  }
}

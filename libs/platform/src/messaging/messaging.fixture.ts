import type { EventClass } from '@evenkeel/contracts';
import { IsInt, IsString } from 'class-validator';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../testing';
import type { MessagingLog } from './messaging-log';
import { createInbox, createOutbox, dropInbox, dropOutbox } from './index';

export const silent: MessagingLog = { warn: () => undefined, error: () => undefined };

/** The event of a shop of these tests: something was put into a box. */
export class BoxFilled {
  static readonly type: string = 'box.filled';
  static readonly stream: string = 'boxes.v1';

  @IsString() box!: string;
  @IsInt() item!: number;
}

/** Boxes on a topic of one test, so that tests do not hear each other. */
export function boxesOn(topic: string): EventClass<BoxFilled> {
  return class extends BoxFilled {
    static override readonly stream = topic;
  };
}

export class CreateBoxes1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
    await runner.query('CREATE TABLE items (place bigint GENERATED ALWAYS AS IDENTITY, box text, item integer)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE items');
    await dropInbox(runner);
    await dropOutbox(runner);
  }
}

export function boxesDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ name: 'boxes', entities: [], migrations: [CreateBoxes1736847000000] });
}

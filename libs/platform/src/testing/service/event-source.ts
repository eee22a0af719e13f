import type { EventClass } from '@evenkeel/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { announce, createOutbox, dropOutbox, OutboxRelay, type InProcessBroker } from '../../messaging';
import { createTestDatabase, type TestDatabase } from '../test-database';

class CreateStream1736847000000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return createOutbox(runner);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropOutbox(runner);
  }
}

const silent = { warn: () => undefined, error: () => undefined };

/** One event of another service. */
interface SourcedEvent {
  event: EventClass;
  /** The aggregate, and the subject of the event. */
  key: string;
  data: object;
  /** Default now. */
  at?: Date;
}

/** In the place of another service, as far as it publishes: an outbox of its own with its relay. */
export class EventSource {
  private constructor(
    readonly database: TestDatabase,
    private readonly relay: OutboxRelay,
  ) {}

  /** @param options source: as CloudEvents name it */
  static async open(broker: InProcessBroker, options: { stream: string; source: string }): Promise<EventSource> {
    const { stream, source } = options;
    const app = { name: 'event-source', entities: [], migrations: [CreateStream1736847000000] };
    const database = await createTestDatabase(app);
    broker.keep(stream, database.dataSource);
    const { options: connection } = database.dataSource;
    const relay = new OutboxRelay({ database: connection, transport: broker, source, log: silent, keepDays: null });
    relay.start();
    return new EventSource(database, relay);
  }

  /** In this order, in one transaction. */
  async publish(...events: readonly SourcedEvent[]): Promise<void> {
    await this.database.dataSource.transaction(async (tx) => {
      for (const { event, key, data, at = new Date() } of events) {
        await announce(tx, event, { key, subject: key, occurredAt: at, data });
      }
    });
  }

  async close(): Promise<void> {
    await this.relay.stop();
    await this.database.drop();
  }
}

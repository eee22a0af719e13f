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

interface EventSourceOptions {
  streams: readonly string[];
  /** As CloudEvents name it. */
  source: string;
  /** Streams that get heartbeats; by default none. */
  topics?: readonly string[];
}

/** In the place of another service, as far as it publishes: an outbox of its own with its relay. */
export class EventSource {
  private relay!: OutboxRelay;

  private constructor(
    readonly database: TestDatabase,
    private readonly broker: InProcessBroker,
    private readonly options: EventSourceOptions,
  ) {
    for (const stream of options.streams) broker.keep(stream, database.dataSource);
    this.startRelay();
  }

  static async open(broker: InProcessBroker, options: EventSourceOptions): Promise<EventSource> {
    const app = { name: 'event-source', entities: [], migrations: [CreateStream1736847000000] };
    return new EventSource(await createTestDatabase(app), broker, options);
  }

  startRelay(topics = this.options.topics): void {
    const { source } = this.options;
    const { options: database } = this.database.dataSource;
    const own = { database, transport: this.broker, source, log: silent, keepDays: null };
    this.relay = new OutboxRelay({ ...own, topics });
    this.relay.start();
  }

  async stopRelay(): Promise<void> {
    await this.relay.stop();
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
    await this.stopRelay();
    await this.database.drop();
  }
}

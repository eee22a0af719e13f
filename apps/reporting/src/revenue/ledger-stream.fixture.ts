import { randomUUID } from 'node:crypto';
import { PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM } from '@evenkeel/contracts';
import { announce, createOutbox, dropOutbox, InProcessBroker, OutboxRelay } from '@evenkeel/platform/messaging';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import type { PublishedEvent } from '../projection/history.fixture';

class CreateStream1736847000000 implements MigrationInterface {
  up(runner: QueryRunner): Promise<void> {
    return createOutbox(runner);
  }

  down(runner: QueryRunner): Promise<void> {
    return dropOutbox(runner);
  }
}

export const silent = { warn: () => undefined, error: () => undefined };

/** In the place of the gateway and of billing: an outbox with its relay, and the broker within the process that reporting reads. */
export class LedgerStream {
  readonly broker = new InProcessBroker(silent);
  private relay!: OutboxRelay;

  private constructor(
    readonly database: TestDatabase,
    private readonly topics: readonly string[],
  ) {
    for (const stream of [PAYMENTS_STREAM, SUBSCRIPTIONS_STREAM]) this.broker.keep(stream, database.dataSource);
    this.startRelay();
  }

  startRelay(topics = this.topics): void {
    this.relay = new OutboxRelay({
      database: this.database.dataSource.options,
      transport: this.broker,
      source: '/agent-gateway',
      topics,
      log: silent,
      keepDays: null,
    });
    this.relay.start();
  }

  async stopRelay(): Promise<void> {
    await this.relay.stop();
  }

  /** @param topics that get heartbeats: none for tests that count messages */
  static async open(topics: readonly string[] = [PAYMENTS_STREAM]): Promise<LedgerStream> {
    const app = { name: 'ledger-stream', entities: [], migrations: [CreateStream1736847000000] };
    return new LedgerStream(await createTestDatabase(app), topics);
  }

  /** Publishes in this order; resolves when reporting has applied the events. */
  async publishAndWait(events: readonly PublishedEvent[], reporting: DataSource): Promise<void> {
    const before = await appliedBy(reporting);
    await this.publish(events);
    await eventually(async () => (await appliedBy(reporting)) === before + events.length, { withinMs: 20_000 });
  }

  async publish(events: readonly PublishedEvent[]): Promise<void> {
    await this.database.dataSource.transaction(async (tx) => {
      for (const { event, key, data } of events) {
        await announce(tx, event, { key, subject: randomUUID(), occurredAt: new Date(), data });
      }
    });
  }

  async close(): Promise<void> {
    await this.stopRelay();
    await this.broker.close();
    await this.database.drop();
  }
}

async function appliedBy(reporting: DataSource): Promise<number> {
  const [row] = await reporting.query<{ applied: string }[]>('SELECT sum(applied) AS applied FROM progress');
  return Number(row!.applied);
}

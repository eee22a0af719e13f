import { ManualClock } from '@evenkeel/kernel';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { createInbox, dropInbox } from '../messaging/inbox/inbox-rows';
import { createOutbox, dropOutbox } from '../messaging/outbox/outbox-tables';
import { InProcessBroker } from '../messaging/in-process/in-process-broker';
import { OutboxRelay } from '../messaging/outbox/outbox-relay';
import { type EventBatchConsumer } from '../messaging/inbox/inbox';
import { type EventEnvelope } from '../messaging/cloud-events';
import { type EventTransport } from '../messaging/event-transport.port';
import { BoxFilled, silent } from '../messaging/messaging.fixture';
import { createTestDatabase, eventually, type TestDatabase } from '../testing';
import { createHeartbeats, createProgress, dropHeartbeats, dropProgress, type Projection } from './projection';
import { FollowStream } from './follow-stream';
import { Freshness } from './freshness';

export const DONE = { withinMs: 30_000 };

class CreateItems1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
    await createProgress(runner, 'items', 'items.lids');
    await createHeartbeats(runner);
    await runner.query('CREATE TABLE items (box text, item integer, filled_at timestamptz)');
    await runner.query('CREATE TABLE item_totals (items integer NOT NULL DEFAULT 0)');
    await runner.query('INSERT INTO item_totals DEFAULT VALUES');
    await runner.query('CREATE TABLE lids (box text, at timestamptz)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lids, item_totals, items');
    await dropHeartbeats(runner);
    await dropProgress(runner);
    await dropInbox(runner);
    await dropOutbox(runner);
  }
}

export const ITEMS: Projection = {
  subscription: 'items',
  stream: BoxFilled.stream,
  tables: ['items', 'item_totals'],
  singleRowTables: ['item_totals'],
  oldestRow: '(SELECT min(filled_at) FROM items)',
  remembersHeartbeats: true,
};

export class StoreItems implements EventBatchConsumer {
  readonly name = 'items.store';
  readonly events = [BoxFilled];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    for (const { data, time } of events) {
      const { box, item } = data as BoxFilled;
      await tx.query('INSERT INTO items (box, item, filled_at) VALUES ($1, $2, $3)', [box, item, time]);
    }
  }
}

class CountItems implements EventBatchConsumer {
  readonly name = 'items.count';
  readonly events = [BoxFilled];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    await tx.query('UPDATE item_totals SET items = items + $1', [events.length]);
  }
}

/** A second subscription of the same app. */
export const LIDS: Projection = {
  subscription: 'items.lids',
  stream: BoxFilled.stream,
  tables: ['lids'],
  singleRowTables: [],
  oldestRow: '(SELECT min(at) FROM lids)',
};

export class StoreLids implements EventBatchConsumer {
  readonly name = 'items.store-lids';
  readonly events = [BoxFilled];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    for (const { data, time } of events) {
      await tx.query('INSERT INTO lids (box, at) VALUES ($1, $2)', [(data as BoxFilled).box, time]);
    }
  }
}

/** A service that publishes events of boxes and makes tables of them, within this process. */
export class ItemsService {
  readonly broker = new InProcessBroker(silent);
  private relay!: OutboxRelay;
  private readonly workers: FollowStream[] = [];

  private constructor(readonly database: TestDatabase) {
    this.broker.keep(BoxFilled.stream, database.dataSource);
    this.startRelay();
  }

  static async open(): Promise<ItemsService> {
    const app = { name: 'items', entities: [], migrations: [CreateItems1736847000000] };
    return new ItemsService(await createTestDatabase(app));
  }

  /** @param topics that get heartbeats */
  startRelay(topics: readonly string[] = [BoxFilled.stream]): void {
    const { broker: transport, database } = this;
    const options = { database: database.dataSource.options, transport, source: '/boxes', log: silent };
    this.relay = new OutboxRelay({ ...options, topics, keepDays: null });
    this.relay.start();
  }

  async stopRelay(): Promise<void> {
    await this.relay.stop();
  }

  startWorker(
    projection = ITEMS,
    consumers: readonly EventBatchConsumer[] = [new StoreItems(), new CountItems()],
    transport: EventTransport = this.broker,
  ): FollowStream {
    const { dataSource } = this.database;
    const worker = new FollowStream({ projection, consumers, dataSource, transport, log: silent });
    worker.onApplicationBootstrap();
    this.workers.push(worker);
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
  }

  query<Row>(sql: string): Promise<Row[]> {
    return this.database.dataSource.query<Row[]>(sql);
  }

  /** That of `items`, and of others that are named. */
  async lag(...subscriptions: string[]): Promise<number> {
    const freshness = new Freshness(this.database.dataSource, new ManualClock(new Date(0)));
    return (await freshness.read('items', ...subscriptions)).lagSeconds;
  }

  async isFresh(): Promise<void> {
    await eventually(async () => (await this.lag()) === 0, DONE);
  }

  async expectTotals(items: number): Promise<void> {
    await eventually(async () => {
      expect(await this.query('SELECT items FROM item_totals')).toEqual([{ items }]);
      expect(await this.query('SELECT count(*)::integer AS rows FROM items')).toEqual([{ rows: items }]);
    }, DONE);
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.stopRelay();
    await this.broker.close();
    await this.database.drop();
  }
}

import { ManualClock } from '@evenkeel/kernel';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import {
  announce,
  createInbox,
  createOutbox,
  createProgress,
  dropInbox,
  dropOutbox,
  dropProgress,
  FollowStream,
  InProcessBroker,
  OutboxRelay,
  type EventBatchConsumer,
  type EventEnvelope,
  type EventTransport,
  type Projection,
} from '@evenkeel/platform/messaging';
import { createTestDatabase, eventually, type TestDatabase } from '@evenkeel/platform/testing';
import { IsInt, IsString } from 'class-validator';
import { Freshness } from './freshness';
import { createHeartbeats, dropHeartbeats, HeartbeatTable } from './heartbeat-table';

export const silent = { warn: () => undefined, error: () => undefined };

/** Something was put into a box. */
class BoxFilled {
  static readonly type = 'box.filled';
  static readonly stream = 'boxes.v1';

  @IsString() box!: string;
  @IsInt() item!: number;
}

const DONE = { withinMs: 30_000 };

class CreateItems1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
    await createProgress(runner, 'items', 'items.lids');
    await createHeartbeats(runner);
    await runner.query('CREATE TABLE items (box text, at timestamptz)');
    await runner.query('CREATE TABLE item_totals (items integer NOT NULL)');
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
  oldestRow: '(SELECT min(at) FROM items)',
  heartbeats: (dataSource) => new HeartbeatTable(dataSource, 'items'),
};

/** A second subscription of the same app. */
export const LIDS: Projection = {
  subscription: 'items.lids',
  stream: BoxFilled.stream,
  tables: ['lids'],
  oldestRow: '(SELECT min(at) FROM lids)',
};

/** A row for each event. */
function storesIn(table: string): EventBatchConsumer {
  const handleAll = async (events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> => {
    for (const { data, time } of events) {
      await tx.query(`INSERT INTO ${table} (box, at) VALUES ($1, $2)`, [(data as BoxFilled).box, time]);
    }
  };
  return { name: `items.store-${table}`, events: [BoxFilled], handleAll };
}

const countItems: EventBatchConsumer = {
  name: 'items.count',
  events: [BoxFilled],
  handleAll: async (events, tx) => {
    await tx.query('INSERT INTO item_totals VALUES ($1)', [events.length]);
  },
};

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

  startWorker(projection = ITEMS, transport: EventTransport = this.broker): FollowStream {
    const { dataSource } = this.database;
    const consumers = projection === LIDS ? [storesIn('lids')] : [storesIn('items'), countItems];
    const worker = new FollowStream({ projection, consumers, dataSource, transport, log: silent });
    worker.onApplicationBootstrap();
    this.workers.push(worker);
    return worker;
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
  }

  async fill(box: string, items: readonly number[]): Promise<void> {
    await this.database.dataSource.transaction(async (tx) => {
      for (const item of items) {
        await announce(tx, BoxFilled, { key: box, subject: box, occurredAt: new Date(), data: { box, item } });
      }
    });
  }

  query<Row>(sql: string): Promise<Row[]> {
    return this.database.dataSource.query<Row[]>(sql);
  }

  /** Asks until the rows are these. */
  async has(sql: string, rows: readonly object[]): Promise<void> {
    await eventually(async () => expect(await this.query(sql)).toEqual(rows), DONE);
  }

  /** That of `items`, and of others that are named. */
  async lag(...subscriptions: string[]): Promise<number> {
    const freshness = new Freshness(this.database.dataSource, new ManualClock(new Date(0)));
    return (await freshness.read('items', ...subscriptions)).lagSeconds;
  }

  async lags(isSo: (lagSeconds: number) => boolean, ...subscriptions: string[]): Promise<void> {
    await eventually(async () => isSo(await this.lag(...subscriptions)), DONE);
  }

  async isFresh(...subscriptions: string[]): Promise<void> {
    await this.lags((lagSeconds) => lagSeconds === 0, ...subscriptions);
  }

  async hasTotals(items: number): Promise<void> {
    const totals =
      'SELECT sum(items)::integer AS items, (SELECT count(*)::integer FROM items) AS rows FROM item_totals';
    await this.has(totals, [{ items, rows: items }]);
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.stopRelay();
    await this.broker.close();
    await this.database.drop();
  }
}

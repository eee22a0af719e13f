import { randomUUID } from 'node:crypto';
import { IsInt, IsString } from 'class-validator';
import type { DataSource, EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../testing';
import {
  announce,
  createInbox,
  createOutbox,
  dropInbox,
  dropOutbox,
  InProcessBroker,
  OutboxRelay,
  Subscription,
  type EventBatchConsumer,
  type EventEnvelope,
  type OutboxRelayOptions,
  type SubscriptionOptions,
} from '.';
import type { MessagingLog } from './event-transport.port';

export const silent: MessagingLog = { warn: () => undefined, error: () => undefined };

/** Something was put into a box: the event of these tests. Its number comes back from every table. */
export class BoxFilled {
  static readonly type: string = 'box.filled';
  static readonly stream: string = 'boxes.v1';

  @IsString() box!: string;
  @IsInt() item!: number;
}

class CreateBoxes1736847000000 implements MigrationInterface {
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

/** Writes down every item, so that one applied twice shows. */
export class StoreItems implements EventBatchConsumer {
  readonly name = 'boxes.store-items';
  readonly events = [BoxFilled];
  /** Items it cannot store at the moment. */
  readonly refused = new Set<number>();
  /** How many it was given at once. */
  readonly sizes: number[] = [];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    this.sizes.push(events.length);
    for (const { box, item } of events.map(({ data }) => data as BoxFilled)) {
      await tx.query('INSERT INTO items (box, item) VALUES ($1, $2)', [box, item]);
      if (this.refused.has(item)) throw new Error(`item ${item} does not fit`);
    }
  }
}

/** Puts items into a box, each by an event of its own. */
export async function fill(
  dataSource: DataSource,
  box: string,
  items: readonly number[],
  event = BoxFilled,
): Promise<void> {
  await dataSource.transaction((tx) => fillIn(tx, box, items, event));
}

/** The same in a transaction that has not ended. */
export async function fillIn(
  tx: EntityManager,
  box: string,
  items: readonly number[],
  event = BoxFilled,
): Promise<void> {
  for (const item of items) {
    await announce(tx, event, { key: box, subject: `${box}/${item}`, occurredAt: new Date(), data: { box, item } });
  }
}

/** Items that arrived in a box, in the order in which they were applied. */
export async function itemsOf(dataSource: DataSource, box: string): Promise<number[]> {
  const text = 'SELECT item FROM items WHERE box = $1 ORDER BY place';
  return (await dataSource.query<{ item: number }[]>(text, [box])).map(({ item }) => item);
}

export async function parkedIn(
  dataSource: DataSource,
  box: string,
): Promise<{ sequence: number; reason: string | null }[]> {
  return dataSource.query(
    'SELECT aggregate_seq::integer AS sequence, reason FROM parked WHERE aggregate = $1 ORDER BY aggregate_seq',
    [box],
  );
}

/** A service that publishes events of boxes and reads them, within this process. */
export class BoxService implements AsyncDisposable {
  readonly broker = new InProcessBroker(silent);
  readonly store = new StoreItems();
  readonly dataSource: DataSource;
  private readonly running: { stop(): Promise<void> }[] = [];

  private constructor(private readonly database: TestDatabase) {
    this.dataSource = database.dataSource;
    this.broker.keep(BoxFilled.stream, this.dataSource);
  }

  static async open(): Promise<BoxService> {
    return new BoxService(await boxesDatabase());
  }

  relay(options: Partial<OutboxRelayOptions> = {}): OutboxRelay {
    const { dataSource, broker: transport } = this;
    const own = { database: dataSource.options, transport, source: '/boxes', log: silent, keepDays: null };
    return this.begun(new OutboxRelay({ ...own, ...options }));
  }

  subscription(options: Partial<SubscriptionOptions> = {}): Subscription {
    const { dataSource, broker: transport, store } = this;
    const own = { dataSource, transport, name: 'boxes', topics: [BoxFilled.stream], consumers: [store], log: silent };
    return this.begun(new Subscription({ ...own, retryDelaysMs: [10, 20], ...options }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.running.map((part) => part.stop()));
    await this.broker.close();
    await this.database.drop();
  }

  private begun<Part extends { start(): void; stop(): Promise<void> }>(part: Part): Part {
    this.running.push(part);
    part.start();
    return part;
  }
}

/** A box that no other test uses. */
export function aBox(): string {
  return `box-${randomUUID()}`;
}

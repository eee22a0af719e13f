import { ManualClock } from '@evenkeel/kernel';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import {
  createInbox,
  createOutbox,
  dropInbox,
  dropOutbox,
  InProcessBroker,
  OutboxRelay,
  type AnyConsumer,
  type EventBatchConsumer,
  type EventConsumer,
  type EventEnvelope,
} from '../messaging';
import { BoxFilled, fill, silent } from '../messaging/messaging.fixture';
import { createTestDatabase, eventually, type TestDatabase } from '../testing';
import {
  createHeartbeats,
  createProgress,
  dropHeartbeats,
  dropProgress,
  FollowStream,
  Freshness,
  runRebuild,
  type Projection,
} from './index';

const DONE = { withinMs: 30_000 };
const programs = [
  { subscription: 'items', aggregates: 'boxes' },
  { subscription: 'items.lids', aggregates: 'boxes' },
];

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

const ITEMS: Projection = {
  subscription: 'items',
  stream: BoxFilled.stream,
  tables: ['items', 'item_totals'],
  singleRowTables: ['item_totals'],
  oldestRow: '(SELECT min(filled_at) FROM items)',
  remembersHeartbeats: true,
};

class StoreItems implements EventBatchConsumer {
  readonly name = 'items.store';
  readonly events = [BoxFilled];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    for (const { data, time } of events) {
      const { box, item } = data as BoxFilled;
      await tx.query('INSERT INTO items (box, item, filled_at) VALUES ($1, $2, $3)', [box, item, time]);
    }
  }
}

class CountItems implements EventConsumer<BoxFilled> {
  readonly name = 'items.count';
  readonly event = BoxFilled;

  async handle(_event: EventEnvelope<BoxFilled>, tx: EntityManager): Promise<void> {
    await tx.query('UPDATE item_totals SET items = items + 1');
  }
}

/** A second subscription of the same app. */
const LIDS: Projection = {
  subscription: 'items.lids',
  stream: BoxFilled.stream,
  tables: ['lids'],
  singleRowTables: [],
  oldestRow: '(SELECT min(at) FROM lids)',
};

class StoreLids implements EventConsumer<BoxFilled> {
  readonly name = 'items.store-lids';
  readonly event = BoxFilled;

  async handle({ data: { box }, time }: EventEnvelope<BoxFilled>, tx: EntityManager): Promise<void> {
    await tx.query('INSERT INTO lids (box, at) VALUES ($1, $2)', [box, time]);
  }
}

let database: TestDatabase;
let broker: InProcessBroker;
let relay: OutboxRelay;
const workers: FollowStream[] = [];
beforeEach(async () => {
  database = await createTestDatabase({ name: 'items', entities: [], migrations: [CreateItems1736847000000] });
  broker = new InProcessBroker(silent);
  broker.keep(BoxFilled.stream, database.dataSource);
  const options = { database: database.dataSource.options, transport: broker, source: '/boxes', log: silent };
  relay = new OutboxRelay({ ...options, topics: [BoxFilled.stream], keepDays: null });
  relay.start();
});
afterEach(async () => {
  await stopWorkers();
  await relay.stop();
  await broker.close();
  await database.drop();
});

function startWorker(
  projection = ITEMS,
  consumers: readonly AnyConsumer[] = [new StoreItems(), new CountItems()],
): FollowStream {
  const { dataSource } = database;
  const worker = new FollowStream({ projection, consumers, dataSource, transport: broker, log: silent });
  worker.onApplicationBootstrap();
  workers.push(worker);
  return worker;
}

async function stopWorkers(): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
}

const query = <Row>(sql: string) => database.dataSource.query<Row[]>(sql);
const lag = async (...subscriptions: string[]) =>
  (await new Freshness(database.dataSource, new ManualClock(new Date(0))).read('items', ...subscriptions)).lagSeconds;
const isFresh = () => eventually(async () => (await lag()) === 0, DONE);
const APPLIED = 'SELECT applied::integer FROM progress ORDER BY subscription';
const expectTotals = (items: number) =>
  eventually(async () => {
    expect(await query('SELECT items FROM item_totals')).toEqual([{ items }]);
    expect(await query('SELECT count(*)::integer AS rows FROM items')).toEqual([{ rows: items }]);
  }, DONE);

const rebuild = (...args: string[]) => rebuildOf('items', ...args);

async function rebuildOf(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runRebuild(programs, args, { DATABASE_URL: database.url }, streams);
  return { code, out, err };
}

describe('a projection', () => {
  it('applies events from before its first start and those that come later', async () => {
    await fill(database.dataSource, 'red', [1, 2, 3]);
    const worker = startWorker();
    await expectTotals(3);
    expect(worker.isAlive()).toBe(true);
    await fill(database.dataSource, 'blue', [1]);
    await expectTotals(4);
    // Two consumers hear of an event, which is one event.
    expect(await query(APPLIED)).toEqual([{ applied: 4 }, { applied: 0 }]);
  });
});

describe('freshness', () => {
  it('is 0 when all is applied, and grows after the last look of a worker', async () => {
    startWorker();
    await fill(database.dataSource, 'red', [1]);
    await expectTotals(1);
    await isFresh();
    await stopWorkers();
    await eventually(async () => (await lag()) > 2, DONE);
  });

  it('is the age of the oldest event while there are events to read', async () => {
    startWorker();
    await isFresh();
    await query(`UPDATE progress SET caught_up_at = now() - interval '1 hour', unread = 5`);
    await stopWorkers();
    await query(`UPDATE progress SET caught_up_at = now() - interval '1 hour', unread = 5, checked_at = now()`);
    expect(await lag()).toBeCloseTo(3_600, 0);
  });
});

describe('freshness of what its owner has not published', () => {
  it('grows while the relay is stopped, and is 0 again when it works', async () => {
    startWorker();
    await eventually(async () => (await query('SELECT FROM heartbeats')).length === 1, DONE);
    await isFresh();
    await relay.stop();
    await fill(database.dataSource, 'red', [1, 2]);
    await eventually(async () => (await lag()) > 0, DONE);
    relay = new OutboxRelay({
      ...{ database: database.dataSource.options, transport: broker, source: '/boxes', log: silent },
      ...{ topics: [BoxFilled.stream], keepDays: null },
    });
    relay.start();
    await expectTotals(2);
    await isFresh();
    // One heartbeat stays in the log, whatever the number that were sent.
    expect(await query('SELECT FROM event_log WHERE outbox_id IS NULL')).toHaveLength(1);
  });

  it('is the age that the relay has told, and older since', async () => {
    startWorker();
    await eventually(async () => (await query('SELECT FROM heartbeats')).length === 1, DONE);
    await relay.stop();
    await query(`UPDATE heartbeats SET waited = '1 hour', heard_at = now() - interval '5 seconds'`);
    expect(await lag()).toBeCloseTo(3_605, -1);
    await query(`UPDATE heartbeats SET waited = '0', heard_at = now() - interval '70 seconds'`);
    expect(await lag()).toBeCloseTo(60, -1);
  });
});

describe('freshness of several subscriptions', () => {
  it('is that of the one that is furthest behind', async () => {
    startWorker();
    await isFresh();
    await query(`UPDATE progress SET caught_up_at = now() - interval '1 hour' WHERE subscription = 'items.lids'`);
    expect(await lag('items.lids')).toBeCloseTo(3_600, -1);
    startWorker(LIDS, [new StoreLids()]);
    await eventually(async () => (await lag('items.lids')) === 0, DONE);
  });
});

describe('a rebuild', () => {
  it('ends with the same totals', async () => {
    startWorker();
    await fill(database.dataSource, 'red', [1, 2, 3]);
    await expectTotals(3);
    await isFresh();
    await query('UPDATE item_totals SET items = 7');
    await query('DELETE FROM items WHERE item = 2');
    const { code, out } = await rebuild();
    expect([code, out]).toEqual([0, expect.stringContaining('Rebuilt from 3 events.')]);
    await expectTotals(3);
  });

  it('says what to do when no worker runs; the next one does it', async () => {
    await fill(database.dataSource, 'red', [1, 2]);
    startWorker();
    await expectTotals(2);
    await isFresh();
    await stopWorkers();
    await query('UPDATE item_totals SET items = 7');
    const refused = await rebuild('--within', '0.5');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is one running?')]);
    startWorker();
    await expectTotals(2);
  });

  it('of one subscription leaves the others of its database alone', async () => {
    startWorker();
    startWorker(LIDS, [new StoreLids()]);
    await fill(database.dataSource, 'red', [1, 2, 3]);
    await expectTotals(3);
    await eventually(async () => expect(await query(APPLIED)).toEqual([{ applied: 3 }, { applied: 3 }]), DONE);
    await query(`UPDATE lids SET box = 'blue'`);
    const others = `SELECT message_id FROM inbox WHERE consumer = 'items.lids' ORDER BY message_id`;
    const seen = await query(others);
    expect((await rebuild()).code).toBe(0);
    await expectTotals(3);
    expect(await query('SELECT DISTINCT box FROM lids')).toEqual([{ box: 'blue' }]);
    expect(await query(others)).toEqual(seen);

    const { code, out } = await rebuildOf('items.lids');
    expect([code, out]).toEqual([0, expect.stringContaining('Rebuilt from 3 events.')]);
    expect(await query('SELECT DISTINCT box FROM lids')).toEqual([{ box: 'red' }]);
    await fill(database.dataSource, 'red', [4]);
    await expectTotals(4);
    await eventually(async () => expect(await query(APPLIED)).toEqual([{ applied: 4 }, { applied: 4 }]), DONE);
  });

  it('refuses arguments that it does not understand', async () => {
    expect(await rebuild('--within', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('--within') });
    expect(await rebuild('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('npm run events:rebuild -- <subscription>     items or items.lids'),
    });
  });
});

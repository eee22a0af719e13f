import { ManualClock } from '@evenkeel/kernel';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import {
  createInbox,
  createOutbox,
  dropInbox,
  dropOutbox,
  InProcessBroker,
  OutboxRelay,
  type EventBatchConsumer,
  type EventEnvelope,
} from '../messaging';
import { BoxFilled, fill, silent } from '../messaging/messaging.fixture';
import { createTestDatabase, eventually, type TestDatabase } from '../testing';
import {
  COUNT_APPLIED,
  createProgress,
  dropProgress,
  FollowStream,
  Freshness,
  runRebuild,
  type Projection,
} from './index';

const DONE = { withinMs: 30_000 };
const program = { service: 'boxes', aggregates: 'boxes' };

class CreateItems1736847000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createOutbox(runner);
    await createInbox(runner);
    await createProgress(runner);
    await runner.query('CREATE TABLE items (box text, item integer, filled_at timestamptz)');
    await runner.query('CREATE TABLE item_totals (items integer NOT NULL DEFAULT 0)');
    await runner.query('INSERT INTO item_totals DEFAULT VALUES');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE item_totals, items');
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
};

class CountItems implements EventBatchConsumer {
  readonly name = 'boxes.count-items';
  readonly events = [BoxFilled];

  async handleAll(events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> {
    await tx.query(COUNT_APPLIED, [events.length, events[0]!.time]);
    for (const { data, time } of events) {
      const { box, item } = data as BoxFilled;
      await tx.query('INSERT INTO items (box, item, filled_at) VALUES ($1, $2, $3)', [box, item, time]);
    }
    await tx.query('UPDATE item_totals SET items = items + $1', [events.length]);
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
  relay = new OutboxRelay({ ...options, keepDays: null });
  relay.start();
});
afterEach(async () => {
  await stopWorkers();
  await relay.stop();
  await broker.close();
  await database.drop();
});

function startWorker(): FollowStream {
  const { dataSource } = database;
  const consumer = new CountItems();
  const worker = new FollowStream({ projection: ITEMS, consumer, dataSource, transport: broker, log: silent });
  worker.onApplicationBootstrap();
  workers.push(worker);
  return worker;
}

async function stopWorkers(): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.beforeApplicationShutdown()));
}

const query = <Row>(sql: string) => database.dataSource.query<Row[]>(sql);
const lag = async () => (await new Freshness(database.dataSource, new ManualClock(new Date(0))).read()).lagSeconds;
const isFresh = () => eventually(async () => (await lag()) === 0, DONE);
const expectTotals = (items: number) =>
  eventually(async () => {
    expect(await query('SELECT items FROM item_totals')).toEqual([{ items }]);
    expect(await query('SELECT count(*)::integer AS rows FROM items')).toEqual([{ rows: items }]);
  }, DONE);

async function rebuild(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runRebuild(program, args, { DATABASE_URL: database.url }, streams);
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
    expect(await query('SELECT applied::integer FROM progress')).toEqual([{ applied: 4 }]);
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

  it('refuses arguments that it does not understand', async () => {
    expect(await rebuild('--within', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('--within') });
    expect(await rebuild('--help')).toMatchObject({ code: 0, out: expect.stringContaining('npm run boxes:rebuild') });
  });
});

import { once } from 'node:events';
import type { EntityManager } from 'typeorm';
import { eventually } from '../../testing';
import type { EventMessage, InProcessBroker } from '..';
import { BoxFilled, BoxService, fill, fillIn } from '../messaging.fixture';
import { RelaySession } from './relay-session';

jest.setTimeout(30_000);

let boxes: BoxService;
let recorder: Recorder;
beforeEach(async () => {
  boxes = await BoxService.open();
  recorder = new Recorder();
});
afterEach(() => boxes[Symbol.asyncDispose]());

/** Replaces the broker and remembers what it was given. */
class Recorder {
  readonly batches: EventMessage[][] = [];
  failures = 0;

  /** @param broadcast of the broker by default */
  over(broker: InProcessBroker, broadcast = (message: EventMessage) => broker.broadcast(message)): InProcessBroker {
    const publish = async (messages: readonly EventMessage[]): Promise<void> => {
      if (this.failures-- > 0) throw new Error('not there');
      this.batches.push([...messages]);
    };
    return Object.assign(Object.create(broker) as InProcessBroker, { publish, broadcast });
  }

  get items(): number[] {
    return this.batches.flat().map(({ value }) => (JSON.parse(value) as BoxFilled).item);
  }
}

const write = (items: readonly number[], box = 'a') => fill(boxes.dataSource, box, items);
const query = <Row>(text: string) => boxes.dataSource.query<Row[]>(text);
const relay = (keepDays: number | null = null, by = recorder) =>
  boxes.relay({ transport: by.over(boxes.broker), keepDays });
const sent = (items: number[], by = recorder) => eventually(() => expect(by.items).toEqual(items));
const rows = () =>
  query<{ number: number; attempts: number }>(
    'SELECT aggregate_seq::integer AS number, attempts FROM outbox WHERE published_at IS NOT NULL ORDER BY seq',
  );
const allPublished = () =>
  eventually(async () => expect(await query('SELECT FROM outbox WHERE published_at IS NULL')).toEqual([]));

it('numbers the events of a key without gaps, however many write, and none that is rolled back', async () => {
  const undone = boxes.dataSource.transaction(async (tx) => {
    await fillIn(tx, 'a', [1]);
    throw new Error('never mind');
  });
  await expect(undone).rejects.toThrow('never mind');
  await Promise.all(Array.from({ length: 5 }, (_, writer) => write([writer, writer + 100])));
  const numbers = await query<{ n: number }>('SELECT aggregate_seq::integer AS n FROM outbox ORDER BY seq');
  expect(numbers.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

describe('the relay', () => {
  it('publishes a committed event in CloudEvents form, woken by the database', async () => {
    const running = relay();
    await eventually(() => running.isActive);
    // Polling alone takes a second for each.
    const begunAt = performance.now();
    for (let item = 1; item <= 8; item++) {
      await write([item]);
      await eventually(() => expect(recorder.items.at(-1)).toBe(item));
    }
    expect(performance.now() - begunAt).toBeLessThan(4_000);
    expect(recorder.batches[0]).toMatchObject([
      {
        topic: 'boxes.v1',
        key: 'a',
        headers: {
          'content-type': 'application/json',
          ce_specversion: '1.0',
          ce_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          ce_type: 'box.filled',
          ce_source: '/boxes',
          ce_subject: 'a/1',
          ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          ce_partitionkey: 'a',
          ce_sequence: '1',
        },
      },
    ]);
    await allPublished();
  });

  it('says that events wait until those that waited are published, and then at once that none does', async () => {
    await write([1, 2]);
    await query(`UPDATE outbox SET created_at = now() - interval '1 minute'`);
    const said: string[] = [];
    const transport = recorder.over(boxes.broker, async ({ value }) => {
      const { oldestUnpublishedAt } = JSON.parse(value) as { oldestUnpublishedAt: string | null };
      said.push(`${oldestUnpublishedAt === null ? 'nothing waits' : 'events wait'}, ${recorder.items.length} sent`);
    });
    boxes.relay({ transport, topics: ['boxes.v1'] });
    await eventually(() => expect(said).toEqual(['events wait, 0 sent', 'nothing waits, 2 sent']));
  });

  it('skips no row that commits late', async () => {
    relay();
    await boxes.dataSource.transaction(async (early) => {
      await fillIn(early, 'slow', [1]);
      await write([2], 'quick');
      await sent([2]);
    });
    await sent([2, 1]);
  });

  it('lets events gather while many come, in their order, 500 at a time, and waits for none of them when it stops', async () => {
    const early = Array.from({ length: 600 }, (_, item) => item);
    await write(early);
    const running = relay();
    await allPublished();
    expect(recorder.batches.map(({ length }) => length)).toEqual([500, 100]);
    const began = performance.now();
    const written = [...early];
    while (performance.now() - began < 1_500) {
      // So many in half a second that no slow machine makes few of them.
      const items = Array.from({ length: 20 }, (_, item) => written.length + item);
      await write(items);
      written.push(...items);
    }
    const halfSeconds = (performance.now() - began) / 500;
    // One that is full need not wait.
    const sentSoFar = recorder.batches.slice(2).filter((batch) => batch.length < 500);
    await sent(written);
    await running.stop();
    // After the first twenty there is one in half a second.
    expect(sentSoFar.length).toBeLessThanOrEqual(1 + halfSeconds + 2);
  });

  it('sends the same batch again until the broker takes it, and counts', async () => {
    recorder.failures = 2;
    await write([1, 2]);
    relay();
    await allPublished();
    expect(recorder.items).toEqual([1, 2]);
    expect(await rows()).toMatchObject([{ attempts: 3 }, { attempts: 3 }]);
  });

  it('works alone: another takes over when it stops, or when its connection is cut', async () => {
    const second = new Recorder();
    const running = relay();
    await write([1]);
    await allPublished();
    relay(null, second);
    await write([2]);
    await allPublished();
    expect([recorder.items, second.items]).toEqual([[1, 2], []]);
    await running.stop();
    await write([3]);
    await sent([3], second);
    await allPublished();
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await write([4]);
    await sent([3, 4], second);
    expect(recorder.items).toEqual([1, 2]);
  });

  it('that stands still loses its turn to another, and marks nothing when it goes on', async () => {
    const still = new AbortController();
    const publish = () => once(still.signal, 'abort');
    const transport = Object.assign(Object.create(boxes.broker) as InProcessBroker, { publish });
    const running = boxes.relay({ transport, silenceMs: 1_500 });
    await eventually(() => running.isActive);
    relay();
    await write([1]);
    await sent([1]);
    await allPublished();
    still.abort();
    await eventually(() => !running.isActive);
    expect(await rows()).toEqual([{ number: 1, attempts: 1 }]);
  });

  it('erases what was published long ago, and nothing else, not what is committed meanwhile either', async () => {
    await write([1, 2, 3]);
    await query(
      `UPDATE outbox SET created_at = now() - interval '20 days',
         published_at = now() - CASE aggregate_seq WHEN 1 THEN interval '15 days' WHEN 2 THEN interval '13 days' END`,
    );
    await boxes.dataSource.transaction(async (late: EntityManager) => {
      // Lets the relay read and send, but neither mark nor erase.
      await late.query('LOCK TABLE outbox IN EXCLUSIVE MODE');
      relay(14);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => expect(await query(waiting)).toHaveLength(1));
      await fillIn(late, 'a', [4]);
      await late.query(`UPDATE outbox SET created_at = now() - interval '20 days'`);
    });
    await eventually(async () => expect((await rows()).map(({ number }) => number)).toEqual([2, 3, 4]));
    expect(recorder.items).toEqual([3, 4]);
  });

  it('erases while events come without a pause', async () => {
    await write([1]);
    await query(`UPDATE outbox SET published_at = now() - interval '15 days'`);
    let item = 1;
    // So many that they gather: the relay finds some each time.
    const writeMany = () => write(Array.from({ length: 30 }, () => ++item));
    await writeMany();
    const running = relay(14);
    await eventually(async () => {
      await writeMany();
      expect(await query('SELECT FROM outbox WHERE aggregate_seq = 1')).toEqual([]);
    });
    await running.stop();
  });

  it('finds rows by their keys, although its plans were made while there were few', async () => {
    await using session = await RelaySession.open(boxes.dataSource.options);
    await query('ALTER TABLE outbox SET (autovacuum_enabled = off)');
    await write([1]);
    await query('ANALYZE outbox');
    for (let round = 0; round < 10; round++) await session.markPublished(await session.unpublished(10));
    const planOf = async (statement: string): Promise<string> =>
      JSON.stringify((await session.client.query(`EXPLAIN EXECUTE ${statement}`)).rows);
    // By the index of what is unpublished, which has nothing else, and by the primary key.
    expect(await planOf('"outbox-unpublished" (10)')).toContain('Index Scan using outbox_unpublished');
    expect(await planOf(`"outbox-mark" ('{1}')`)).toContain('Index Cond');
  });
});

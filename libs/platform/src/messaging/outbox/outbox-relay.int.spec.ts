import { eventually } from '../../testing';
import type { EventMessage } from '..';
import { BoxFilled, BoxService, fill } from '../messaging.fixture';
import { announce } from './outbox';

jest.setTimeout(30_000);

let boxes: BoxService;
beforeEach(async () => (boxes = await BoxService.open()));
afterEach(() => boxes[Symbol.asyncDispose]());

interface Row {
  published: boolean;
  attempts: number;
}

const rows = () =>
  boxes.dataSource.query<Row[]>(
    'SELECT published_at IS NOT NULL AS published, attempts FROM outbox ORDER BY aggregate, aggregate_seq',
  );
const numbers = async () =>
  (
    await boxes.dataSource.query<{ number: number }[]>(
      'SELECT aggregate_seq::integer AS number FROM outbox ORDER BY seq',
    )
  ).map(({ number }) => number);
const lockWaits = async () =>
  (
    await boxes.dataSource.query<unknown[]>(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).length;
const allPublished = async () => expect((await rows()).filter(({ published }) => !published)).toEqual([]);

/** Takes the place of the broker and remembers what it was given. */
class Recorder {
  readonly batches: EventMessage[][] = [];
  failures = 0;
  /** Of the latest batch. */
  atMs = 0;

  async publish(messages: readonly EventMessage[]): Promise<void> {
    if (this.failures-- > 0) throw new Error('not there');
    this.batches.push([...messages]);
    this.atMs = performance.now();
  }

  get items(): number[] {
    return this.batches.flat().map(({ value }) => (JSON.parse(value) as BoxFilled).item);
  }
}
const recorded = (recorder: Recorder) => Object.assign(boxes.broker, { publish: recorder.publish.bind(recorder) });

describe('the outbox', () => {
  it('numbers the events of a key without gaps, however many write', async () => {
    await Promise.all(
      Array.from({ length: 5 }, (_, writer) => fill(boxes.dataSource, 'shared', [writer, writer + 100])),
    );
    const numbers = await boxes.dataSource.query<{ n: number }[]>(
      'SELECT aggregate_seq::integer AS n FROM outbox ORDER BY seq',
    );
    expect(numbers.map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('takes no number for an event that is rolled back', async () => {
    const undone = boxes.dataSource.transaction(async (tx) => {
      const announcement = { key: 'a', subject: 'a', occurredAt: new Date(0), data: { box: 'a', item: 1 } };
      await announce(tx, BoxFilled, announcement);
      throw new Error('never mind');
    });
    await expect(undone).rejects.toThrow('never mind');
    await fill(boxes.dataSource, 'a', [1]);
    expect(await boxes.dataSource.query('SELECT aggregate_seq FROM outbox')).toEqual([{ aggregate_seq: '1' }]);
  });
});

/** Milliseconds until each of some events that come alone is on its way, the shortest first. */
async function waitsOfLone(recorder: Recorder, first: number, count: number): Promise<number[]> {
  const waited: number[] = [];
  for (let item = first; item < first + count; item++) {
    await fill(boxes.dataSource, 'a', [item]);
    const committedMs = performance.now();
    await eventually(() => expect(recorder.items.at(-1)).toBe(item));
    waited.push(recorder.atMs - committedMs);
  }
  return waited.sort((one, other) => one - other);
}

describe('the relay', () => {
  it('has an event that comes alone on its way within 50 ms of its commit', async () => {
    const recorder = new Recorder();
    boxes.relay({ transport: recorded(recorder) });
    // Three times that for a busy machine, and of eleven events the one in the middle.
    expect((await waitsOfLone(recorder, 0, 11))[5]).toBeLessThan(3 * 50);
  });

  it('says that events wait until those that waited are published, and then at once that none does', async () => {
    await fill(boxes.dataSource, 'a', [1, 2]);
    await boxes.dataSource.query(`UPDATE outbox SET created_at = now() - interval '1 minute'`);
    const told: string[] = [];
    const transport = Object.assign(boxes.broker, {
      publish: async (messages: readonly EventMessage[]) => void told.push(`${messages.length} events`),
      broadcast: async ({ value }: EventMessage) => {
        const { oldestUnpublishedAt } = JSON.parse(value) as { oldestUnpublishedAt: string | null };
        told.push(oldestUnpublishedAt === null ? 'nothing waits' : 'events wait');
      },
    });
    boxes.relay({ transport, topics: ['boxes.v1'] });
    await eventually(() => expect(told).toEqual(['events wait', '2 events', 'nothing waits']));
  });

  it('publishes a committed event in CloudEvents form', async () => {
    const recorder = new Recorder();
    const relay = boxes.relay({ transport: recorded(recorder) });
    await eventually(() => relay.isActive);
    await fill(boxes.dataSource, 'a', [7]);
    // Woken by the database: polling alone would take longer.
    await eventually(() => expect(recorder.items).toEqual([7]), { withinMs: 900 });
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
          ce_subject: 'a/7',
          ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          ce_partitionkey: 'a',
          ce_sequence: '1',
        },
      },
    ]);
    await eventually(allPublished);
  });

  it('skips no row that commits late', async () => {
    const recorder = new Recorder();
    boxes.relay({ transport: recorded(recorder) });
    await boxes.dataSource.transaction(async (early) => {
      const announcement = { key: 'slow', subject: 'slow', occurredAt: new Date(0), data: { box: 'slow', item: 1 } };
      await announce(early, BoxFilled, announcement);
      await fill(boxes.dataSource, 'quick', [2]);
      await eventually(() => expect(recorder.items).toEqual([2]));
    });
    await eventually(() => expect(recorder.items).toEqual([2, 1]));
  });

  it('sends 500 at a time, in their order', async () => {
    const recorder = new Recorder();
    const items = Array.from({ length: 1_200 }, (_, item) => item);
    await fill(boxes.dataSource, 'a', items);
    boxes.relay({ transport: recorded(recorder) });
    await eventually(allPublished);
    expect(recorder.items).toEqual(items);
    expect(recorder.batches.map(({ length }) => length)).toEqual([500, 500, 200]);
  });

  it('lets events gather while many come, in their order, and waits for none of them when it stops', async () => {
    const recorder = new Recorder();
    const relay = boxes.relay({ transport: recorded(recorder) });
    const began = performance.now();
    const written: number[] = [];
    for (let transactions = 0; performance.now() - began < 1_500; transactions++) {
      // So many in half a second that no slow machine makes few of them.
      const items = Array.from({ length: 20 }, (_, item) => 20 * transactions + item);
      await fill(boxes.dataSource, 'a', items);
      written.push(...items);
    }
    const halfSeconds = (performance.now() - began) / 500;
    // One that is full need not wait.
    const sentSoFar = recorder.batches.filter((batch) => batch.length < 500);
    await eventually(() => expect(recorder.items).toEqual(written));
    await relay.stop();
    expect(await rows()).toEqual(written.map(() => ({ published: true, attempts: 1 })));
    // After the first twenty there is one in half a second.
    expect(sentSoFar.length).toBeLessThanOrEqual(1 + halfSeconds + 2);
  });

  it('sends the same batch again until the broker takes it, and counts', async () => {
    const recorder = new Recorder();
    recorder.failures = 2;
    await fill(boxes.dataSource, 'a', [1, 2]);
    boxes.relay({ transport: recorded(recorder) });
    await eventually(allPublished);
    expect(recorder.items).toEqual([1, 2]);
    expect(await rows()).toEqual([
      { published: true, attempts: 3 },
      { published: true, attempts: 3 },
    ]);
  });

  it('works alone: another takes over when it stops', async () => {
    const [first, second] = [new Recorder(), new Recorder()];
    const relay = boxes.relay({ transport: recordedApart(first) });
    await fill(boxes.dataSource, 'a', [1]);
    await eventually(allPublished);
    boxes.relay({ transport: recordedApart(second) });
    await fill(boxes.dataSource, 'a', [2]);
    await eventually(allPublished);
    expect([first.items, second.items]).toEqual([[1, 2], []]);

    await relay.stop();
    await fill(boxes.dataSource, 'a', [3]);
    await eventually(allPublished);
    expect([first.items, second.items]).toEqual([[1, 2], [3]]);
  });

  it('comes back when its connection is cut', async () => {
    const recorder = new Recorder();
    boxes.relay({ transport: recorded(recorder) });
    await fill(boxes.dataSource, 'a', [1]);
    await eventually(allPublished);
    await boxes.dataSource.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    await fill(boxes.dataSource, 'a', [2]);
    await eventually(() => expect(recorder.items).toEqual([1, 2]));
  });

  it('erases what was published long ago, and only that', async () => {
    await fill(boxes.dataSource, 'a', [1, 2, 3]);
    await boxes.dataSource.query(
      `UPDATE outbox SET created_at = now() - interval '20 days',
         published_at = now() - CASE aggregate_seq WHEN 1 THEN interval '15 days' WHEN 2 THEN interval '13 days' END`,
    );
    const recorder = new Recorder();
    boxes.relay({ transport: recorded(recorder), keepDays: 14 });
    await eventually(async () => expect(await numbers()).not.toContain(1));
    expect(recorder.items).toEqual([3]);
    expect(await numbers()).toEqual([2, 3]);
  });

  it('erases nothing that was not published, however old: not what is committed as it erases either', async () => {
    await fill(boxes.dataSource, 'a', [1]);
    await boxes.dataSource.query(`UPDATE outbox SET published_at = now() - interval '15 days'`);
    const recorder = new Recorder();
    await boxes.dataSource.transaction(async (late) => {
      // Lets the relay read, and find nothing, but not erase.
      await late.query('LOCK TABLE outbox IN EXCLUSIVE MODE');
      boxes.relay({ transport: recorded(recorder), keepDays: 14 });
      await eventually(async () => expect(await lockWaits()).toBe(1));
      const announcement = { key: 'a', subject: 'a', occurredAt: new Date(0), data: { box: 'a', item: 2 } };
      await announce(late, BoxFilled, announcement);
      await late.query(`UPDATE outbox SET created_at = now() - interval '20 days'`);
    });
    await eventually(async () => expect(await numbers()).not.toContain(1));
    await eventually(() => expect(recorder.items).toEqual([2]));
    expect(await numbers()).toEqual([2]);
  });
});

const recordedApart = (recorder: Recorder) =>
  Object.assign(Object.create(boxes.broker) as typeof boxes.broker, { publish: recorder.publish.bind(recorder) });

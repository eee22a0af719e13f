import { randomUUID } from 'node:crypto';
import { eventually, type TestDatabase } from '../../testing';
import type { EventMessage, ReceivedMessage } from '../cloud-events';
import { BoxFilled, boxesDatabase, fill, silent } from '../messaging.fixture';
import { messageOf, type OutboxRow, ROW_COLUMNS } from '../outbox/outbox';
import { transportContract } from '../transport-contract.fixture';
import { InProcessBroker } from './in-process-broker';

let database: TestDatabase;
let broker: InProcessBroker;
beforeAll(async () => {
  database = await boxesDatabase();
  broker = new InProcessBroker(silent);
});
afterAll(async () => {
  await broker.close();
  await database.drop();
});

const newTopic = async (): Promise<string> => {
  const topic = `test.${randomUUID()}.v1`;
  broker.keep(topic, database.dataSource);
  return topic;
};

transportContract(() => broker, newTopic);

it('has nothing to read of a topic whose owner does not run', async () => {
  expect(await broker.positions('following', `test.${randomUUID()}.v1`)).toEqual([]);
});

it('delivers its events in one order with those of another process', async () => {
  const topic = await newTopic();
  const elsewhere = new InProcessBroker(silent);
  elsewhere.keep(topic, database.dataSource);
  const messages = await announced(topic, 60);
  const live = received(topic);
  for (let turn = 0; turn < 20; turn++) {
    const publisher = turn % 5 === 3 ? elsewhere : broker;
    await publisher.publish(messages.slice(turn * 3, turn * 3 + 3));
    // Some are read before the next ones come, and some are not.
    if (turn % 2 === 0) await live.receives(turn * 3 + 3);
  }
  // Events published before are not delivered again.
  await broker.publish(messages.slice(-3));
  const later = received(topic);
  for (const reader of [live, later]) await reader.receives(60);
  expect(live.messages).toEqual(later.messages);
  expect(live.messages).toMatchObject(messages);
});

it('finds what it stores by its key, although its plans were made while there was little', async () => {
  // A database of its own: rows that readers of another topic read would be counted later.
  await using own = await boxesDatabase();
  const { dataSource } = own;
  const topic = `test.${randomUUID()}.v1`;
  const log = new InProcessBroker(silent);
  log.keep(topic, dataSource);
  const rowsRead = async (): Promise<number> => {
    // At once, and not when its connection has been idle.
    await dataSource.query('SELECT pg_stat_force_next_flush()');
    const text = `SELECT (seq_tup_read + idx_tup_fetch)::integer AS rows FROM pg_stat_user_tables WHERE relname = 'outbox'`;
    return (await dataSource.query<[{ rows: number }]>(text))[0].rows;
  };
  await dataSource.query('ALTER TABLE outbox SET (autovacuum_enabled = off)');
  const messages = await announced(topic, 30, own);
  await dataSource.query('ANALYZE outbox');
  for (const message of messages.slice(0, 10)) await log.publish([message]);
  await fill(dataSource, 'another', Array<number>(2_000).fill(0));
  const before = await rowsRead();
  for (const message of messages.slice(10)) await log.publish([message]);
  expect((await rowsRead()) - before).toBeLessThan(100);
});

/** Messages of events in the outbox. */
async function announced(topic: string, count: number, { dataSource } = database): Promise<EventMessage[]> {
  class Filled extends BoxFilled {
    static override readonly stream = topic;
  }
  const items = Array.from({ length: count }, (_, item) => item);
  await fill(dataSource, topic, items, Filled);
  const text = `SELECT ${ROW_COLUMNS} FROM outbox WHERE topic = $1 ORDER BY seq`;
  return (await dataSource.query<OutboxRow[]>(text, [topic])).map((row) => messageOf(row, '/boxes'));
}

/** A reader in a group of its own. */
function received(topic: string) {
  const group = randomUUID();
  const messages: ReceivedMessage[] = [];
  broker.subscribe(group, [topic], async (batch) => void messages.push(...batch.messages));
  /** Watches its position, as a projection does. */
  const receives = (count: number) =>
    eventually(async () => {
      await broker.positions(group, topic);
      expect(messages).toHaveLength(count);
    });
  return { messages, receives };
}

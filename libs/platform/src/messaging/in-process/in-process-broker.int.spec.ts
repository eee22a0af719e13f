import { randomUUID } from 'node:crypto';
import { eventually, type TestDatabase } from '../../testing';
import type { EventMessage, ReceivedMessage } from '../cloud-events';
import type { EventTransport } from '../event-transport.port';
import { BoxFilled, boxesDatabase, fill, silent } from '../messaging.fixture';
import { messageOf, type OutboxRow, ROW_COLUMNS } from '../outbox/outbox-rows';
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

describe('the in-process broker', () => {
  transportContract(() => ({ transport: broker, newTopic }));

  it('has nothing to read of a topic whose owner does not run', async () => {
    expect(await broker.positions('following', `test.${randomUUID()}.v1`)).toEqual([]);
  });

  it('delivers its events in one order with those of another process', async () => {
    const topic = await newTopic();
    await using elsewhere = new OtherProcess();
    elsewhere.keep(topic, database.dataSource);
    const messages = await announced(topic, 60);
    const live = received(broker, topic);
    for (let turn = 0; turn < 20; turn++) {
      const publisher = turn % 5 === 3 ? elsewhere : broker;
      await publisher.publish(messages.slice(turn * 3, turn * 3 + 3));
      // Some are read before the next ones come, and some are not.
      if (turn % 2 === 0) await live.receives(turn * 3 + 3);
    }
    // Events published before are not delivered again.
    await broker.publish(messages.slice(-3));
    await live.receives(60);
    await live.stop();
    const later = received(broker, topic);
    await later.receives(60);
    await later.stop();
    expect(live.messages).toEqual(later.messages);
    expect(live.messages).toMatchObject(messages);
  });
});

class OtherProcess extends InProcessBroker implements AsyncDisposable {
  constructor() {
    super(silent);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Messages of events in the outbox. */
async function announced(topic: string, count: number): Promise<EventMessage[]> {
  class Filled extends BoxFilled {
    static override readonly stream = topic;
  }
  await fill(
    database.dataSource,
    topic,
    Array.from({ length: count }, (_, item) => item),
    Filled,
  );
  const rows = await database.dataSource.query<OutboxRow[]>(
    `SELECT ${ROW_COLUMNS} FROM outbox WHERE topic = $1 ORDER BY seq`,
    [topic],
  );
  return rows.map((row) => messageOf(row, '/boxes'));
}

/** A reader in a group of its own. */
function received(transport: EventTransport, topic: string) {
  const group = randomUUID();
  const messages: ReceivedMessage[] = [];
  const reader = transport.subscribe(group, [topic], async (batch) => {
    messages.push(...batch.messages);
  });
  /** Watches its position, as a projection does. */
  const receives = (count: number) =>
    eventually(async () => {
      await transport.positions(group, topic);
      expect(messages).toHaveLength(count);
    });
  return { messages, receives, stop: () => reader.stop() };
}

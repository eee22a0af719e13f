import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as elapse } from 'node:timers/promises';
import type { ConsumerConfig, Kafka } from 'kafkajs';
import type { Deliver } from '../event-transport.port';
import { transportContract } from '../transport-contract.fixture';
import { silent } from '../messaging.fixture';
import { eventually } from '../../testing';
import { BrokerLine } from './broker-line.fixture';
import { kafkaClient, makeTopics, SharedConnection, withAdmin } from './kafka-client';
import { KafkaPublisher } from './kafka-publisher';
import { KafkaReader } from './kafka-reader';
import { kafkaTransport, newKafkaTopic, testBrokers } from './kafka.fixture';
import { KafkaTransport, readPositions } from './kafka-transport';

jest.setTimeout(60_000);

let transport: KafkaTransport;
let toNowhere: Promise<unknown>;
let toSilence: Promise<unknown>;
beforeAll(() => {
  transport = kafkaTransport();
  // kafkajs tries again and again for some seconds: it goes on while the other tests run.
  toSilence = publishToSilence();
  const lost = kafkaTransport();
  const message = { topic: 'nobody-made-this.v1', key: 'a', headers: {}, value: '1' };
  toNowhere = lost
    .publish([message])
    .catch((error: unknown) => error)
    .finally(() => lost.close());
});
afterAll(() => transport.close());

// First: kafkajs tries again and again for some seconds, and goes on while the other tests run.
describe('a broker that is not there', () => {
  it('is distinguished from one that answers', async () => {
    expect(await transport.brokersAnswer()).toBe(true);
  });

  it('keeps nothing waiting once the process is to end', async () => {
    const unreachable = new KafkaTransport({ access: { brokers: ['127.0.0.1:1'] }, clientId: 'test', log: silent });
    const reader = unreachable.subscribe('waiting', ['any.v1'], () => Promise.resolve());
    const message = { topic: 'any.v1', key: 'a', headers: {}, value: '1' };
    const waiting = [
      unreachable.publish([message]),
      unreachable.positions('waiting', 'any.v1'),
      unreachable.drain('waiting', 'any.v1', () => Promise.resolve()),
    ];
    unreachable.endWithin(100);
    const refused = { status: 'rejected', reason: new Error('Kafka has not answered before the end') };
    expect(await Promise.allSettled(waiting)).toEqual([refused, refused, refused]);
    expect(await unreachable.brokersAnswer()).toBe(false);
    await reader.stop();
    await unreachable.close();
  });
});

describe('Kafka', () => {
  transportContract(() => ({ transport, newTopic: newKafkaTopic }));

  it('never makes a topic by writing to it', async () => {
    expect(await toNowhere).toMatchObject({ message: expect.stringContaining('does not host this topic-partition') });
  });

  it('waits for a new topic that the broker does not know yet', async () => {
    const topic = `test.${randomUUID()}.v1`;
    await using line = await BrokerLine.notKnowing(topic);
    await withAdmin(line.kafka, (admin) => makeTopics(admin, [{ topic }]));
    expect(line.changed).toBe(true);
    await transport.publish([{ topic, key: 'a', headers: {}, value: '1' }]);
  });

  it('has no timers of connections that have nothing to send', async () => {
    const topic = await newKafkaTopic();
    const own = kafkaTransport();
    const before = await timersStarted();
    await own.publish([{ topic, key: 'a', headers: {}, value: '1' }]);
    // A connection of kafkajs by itself starts one each millisecond.
    expect(await timersStarted()).toBeLessThan(before + 50);
    await own.close();
  });

  it.each(['apiVersions', 'joinGroup'] as const)('reads on when a broker never answers %s', async (request) => {
    const topic = await newKafkaTopic();
    await transport.publish([{ topic, key: 'a', headers: {}, value: '1' }]);
    await using line = await BrokerLine.ignoring(request);
    const received: string[] = [];
    const reader = new KafkaReader({
      kafka: line.kafka,
      group: `after-${request}`,
      topics: [topic],
      deliver: async ({ messages }) => void received.push(...messages.map(({ value }) => value)),
      log: silent,
      limits: { answerMs: 1_000, silenceMs: 4_000 },
    });
    await eventually(() => expect(received).toEqual(['1']), { withinMs: 50_000 });
    expect(line.changed).toBe(true);
    await reader.stop();
  });

  it('reads on with another consumer when one has given up', async () => {
    const topic = await newKafkaTopic();
    await transport.publish([{ topic, key: 'a', headers: {}, value: '1' }]);
    const kafka = kafkaClient({ brokers: testBrokers() }, 'test', silent);
    const received: string[] = [];
    const made: string[] = [];
    // Kafka itself cannot be made to give an answer that kafkajs takes for final.
    const givingUp = Object.assign(Object.create(kafka) as Kafka, {
      consumer: (config: ConsumerConfig) => {
        const consumer = kafka.consumer(config);
        made.push(config.groupId);
        const on: typeof consumer.on = (event, listener) => {
          if (event === consumer.events.CRASH && made.length === 1) listener({ payload: { restart: false } } as never);
          return consumer.on(event, listener as never);
        };
        return { ...consumer, on };
      },
    });
    const deliver: Deliver = async ({ messages }) => void received.push(...messages.map(({ value }) => value));
    const reader = new KafkaReader({ kafka: givingUp, group: `again-${topic}`, topics: [topic], deliver, log: silent });
    await eventually(() => expect(received).toEqual(['1']), { withinMs: 50_000 });
    expect(made).toHaveLength(2);
    await reader.stop();
  });

  it('stops reading when a broker never answers', async () => {
    await using line = await BrokerLine.ignoring('apiVersions');
    const limits = { answerMs: 1_000, silenceMs: 60_000 };
    const never = { group: 'stopped', topics: ['any.v1'], deliver: () => Promise.resolve() };
    const reader = new KafkaReader({ ...never, kafka: line.kafka, log: silent, limits });
    await eventually(() => line.changed, { withinMs: 20_000 });
    await reader.stop();
  });

  it('asks for positions again over another connection', async () => {
    const topic = await newKafkaTopic();
    await using line = await BrokerLine.ignoring('listOffsets');
    const connection = new SharedConnection(() => line.kafka.admin(), undefined, 2_000);
    const positions = () => connection.ask((admin) => readPositions(admin, 'asking', topic));
    await expect(positions()).rejects.toThrow('Kafka has not answered within 2000 ms');
    await eventually(async () => expect(await positions()).toHaveLength(3), { withinMs: 20_000 });
    await connection.drop();
  });

  it('gives a key the partition that other clients give it: events of a key would lose their order', async () => {
    const topic = await newKafkaTopic();
    const keys = ['', 'a', '0x00000000000000000000000000000000000000ff', 'Schlüssel'];
    await transport.publish(keys.map((key) => ({ topic, key, headers: {}, value: key })));
    const found = new Map<string, number>();
    await transport.drain('partitions', topic, async ({ messages }) => {
      for (const { key, partition } of messages) found.set(key, partition);
    });
    expect(keys.map((key) => found.get(key))).toEqual([0, 1, 2, 1]);
  });

  it('gives up a broker that accepts connections and never answers', async () => {
    expect(await toSilence).toMatchObject({ message: 'Kafka has not answered within 500 ms' });
  });
});

/** By the code of kafkajs within half a second. */
async function timersStarted(): Promise<number> {
  const started = jest.spyOn(globalThis, 'setTimeout');
  await elapse(500);
  const count = started.mock.calls.length;
  started.mockRestore();
  return count;
}

async function publishToSilence(): Promise<unknown> {
  const callers: Socket[] = [];
  const silentBroker = createServer((caller) => callers.push(caller)).listen(0, '127.0.0.1');
  await once(silentBroker, 'listening');
  const brokers = [`127.0.0.1:${(silentBroker.address() as AddressInfo).port}`];
  const publisher = new KafkaPublisher(kafkaClient({ brokers }, 'test', silent), undefined, 500);
  const message = { topic: 'any.v1', key: 'a', headers: {}, value: '1' };
  const error = await publisher.publish([message]).catch((refused: unknown) => refused);
  silentBroker.close();
  for (const caller of callers) caller.destroy();
  return error;
}

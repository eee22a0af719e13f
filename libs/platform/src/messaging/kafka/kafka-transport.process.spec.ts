import { PartitionAssigners, type PartitionAssigner } from 'kafkajs';
import type { Deliver } from '../event-transport.port';
import { transportContract } from '../transport-contract.fixture';
import { silent } from '../messaging.fixture';
import { eventually } from '../../testing';
import { kafkaClient, SharedConnection } from './kafka-client';
import { KafkaReader } from './kafka-reader';
import { BrokerLine, kafkaTransport, newKafkaTopic, testBrokers } from './kafka.fixture';
import { readPositions, type KafkaTransport } from './kafka-transport';

jest.setTimeout(120_000);

let transport: KafkaTransport;
beforeAll(() => (transport = kafkaTransport()));
afterAll(() => transport.close());

const message = (topic: string, key = 'a') => ({ topic, key, headers: {}, value: '1' });
const refusalOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: Error) => error.message);

/** Keeps what it is given. */
function collector() {
  const received: string[] = [];
  const deliver: Deliver = async ({ messages }) => void received.push(...messages.map(({ value }) => value));
  return {
    deliver,
    has: (values: string[]) => eventually(() => expect(received).toEqual(values), { withinMs: 50_000 }),
  };
}

transportContract(() => transport, newKafkaTopic);

it('a key has the partition that other clients give it: events of a key would lose their order', async () => {
  const topic = await newKafkaTopic();
  const keys = ['', 'a', '0x00000000000000000000000000000000000000ff', 'Schlüssel'];
  await transport.publish(keys.map((key) => message(topic, key)));
  const found = new Map<string, number>();
  await transport.drain('partitions', topic, async ({ messages }) => {
    for (const { key, partition } of messages) found.set(key, partition);
  });
  expect(keys.map((key) => found.get(key))).toEqual([0, 1, 2, 1]);
});

it('a topic is never made by writing to it, and a broker that answers is known to', async () => {
  const lost = kafkaTransport();
  expect(await refusalOf(lost.publish([message('nobody-made-this.v1')]))).toContain('does not host this topic');
  expect(await lost.brokersAnswer()).toBe(true);
  await lost.close();
});

it('nothing waits for a broker that is not there once the process is to end', async () => {
  const unreachable = kafkaTransport(['127.0.0.1:1']);
  const reader = unreachable.subscribe('waiting', ['any.v1'], () => Promise.resolve());
  const waiting = [
    unreachable.publish([message('any.v1')]),
    unreachable.positions('waiting', 'any.v1'),
    unreachable.drain('waiting', 'any.v1', () => Promise.resolve()),
  ];
  unreachable.endWithin(100);
  for (const work of waiting) expect(await refusalOf(work)).toBe('Kafka has not answered before the end');
  expect(await unreachable.brokersAnswer()).toBe(false);
  await reader.stop();
  await unreachable.close();
});

it('positions are asked for again over another connection when one has no answer', async () => {
  const topic = await newKafkaTopic();
  await using line = await BrokerLine.ignoring('listOffsets');
  const connection = new SharedConnection(() => line.kafka.admin(), undefined, 2_000);
  const positions = () => connection.ask((admin) => readPositions(admin, 'asking', topic));
  expect(await refusalOf(positions())).toBe('Kafka has not answered within 2000 ms');
  await eventually(async () => expect(await positions()).toHaveLength(3), { withinMs: 20_000 });
  await connection.drop();
});

it.each(['apiVersions', 'joinGroup'] as const)('a reader reads on when a broker never answers %s', async (request) => {
  const topic = await newKafkaTopic();
  await transport.publish([message(topic)]);
  await using line = await BrokerLine.ignoring(request);
  const { deliver, has } = collector();
  const limits = { answerMs: 1_000, silenceMs: 4_000 };
  const options = { kafka: line.kafka, group: `after-${request}`, topics: [topic], log: silent, limits };
  const reader = new KafkaReader({ ...options, deliver });
  await eventually(() => line.lost, { withinMs: 20_000 });
  await has(['1']);
  await reader.stop();
});

it('a group reads on a session after its leader died, also between a join and what the leader says to it', async () => {
  const topic = await newKafkaTopic();
  const groupId = `led-${topic}`;
  // Longer than a request to the broker may take usually.
  const sessionTimeout = 12_000;
  let joined = 0;
  let end = (): void => undefined;
  const silence = new Promise<[]>((resolve) => (end = () => resolve([])));
  // From the second join on it says nothing any more, as a process that was killed.
  const dying: PartitionAssigner = (config) => {
    const usual = PartitionAssigners.roundRobin(config);
    return { ...usual, assign: (given) => (++joined === 1 ? usual.assign(given) : silence) };
  };
  const retry = { retries: 0, restartOnFailure: () => Promise.resolve(false) };
  const session = { partitionAssigners: [dying], sessionTimeout, heartbeatInterval: 500, retry };
  const leader = kafkaClient({ brokers: testBrokers() }, 'leader', silent).consumer({ groupId, ...session });
  await leader.connect();
  await leader.subscribe({ topics: [topic] });
  await leader.run({ eachMessage: () => Promise.resolve() });
  await eventually(() => expect(joined).toBe(1), { withinMs: 30_000 });

  const { deliver, has } = collector();
  transport.subscribe(groupId, [topic], deliver);
  await eventually(() => expect(joined).toBe(2), { withinMs: 30_000 });
  await transport.publish([message(topic)]);
  await has(['1']);
  end();
  await leader.disconnect();
});

import { PartitionAssigners, type Consumer, type PartitionAssigner } from 'kafkajs';
import { eventually } from '../../testing';
import { silent } from '../messaging.fixture';
import { kafkaClient } from './kafka-client';
import { kafkaTransport, newKafkaTopic, testBrokers } from './kafka.fixture';
import type { KafkaTransport } from './kafka-transport';

jest.setTimeout(120_000);

/** Longer than a request to the broker may take usually. */
const LEADER_SESSION_MS = 12_000;

let transport: KafkaTransport;
let leader: Consumer | undefined;
beforeAll(() => (transport = kafkaTransport()));
afterAll(async () => {
  await transport.close();
  // It waits for what its assigner never says.
  void leader?.disconnect();
});

it('a group reads on a session after its leader died, also between a join and what the leader says to it', async () => {
  const topic = await newKafkaTopic();
  const group = `led-${topic}`;
  let joined = 0;
  // From the second join on it says nothing any more, as a process that was killed.
  const dying: PartitionAssigner = (config) => {
    const usual = PartitionAssigners.roundRobin(config);
    return { ...usual, assign: (given) => (++joined === 1 ? usual.assign(given) : new Promise(() => undefined)) };
  };
  leader = kafkaClient({ brokers: testBrokers() }, 'leader', silent).consumer({
    groupId: group,
    partitionAssigners: [dying],
    sessionTimeout: LEADER_SESSION_MS,
    heartbeatInterval: 500,
    retry: { retries: 0 },
  });
  await leader.connect();
  await leader.subscribe({ topics: [topic] });
  await leader.run({ eachMessage: () => Promise.resolve() });
  await eventually(() => expect(joined).toBe(1), { withinMs: 30_000 });

  const received: string[] = [];
  transport.subscribe(
    group,
    [topic],
    async ({ messages }) => void received.push(...messages.map(({ value }) => value)),
  );
  await eventually(() => expect(joined).toBe(2), { withinMs: 30_000 });
  await transport.publish([{ topic, key: 'a', headers: {}, value: '1' }]);
  await eventually(() => expect(received).toEqual(['1']), { withinMs: 2 * LEADER_SESSION_MS });
});

import { transportContract } from '../transport-contract.fixture';
import { kafkaTransport, newKafkaTopic } from './kafka.fixture';
import type { KafkaTransport } from './kafka-transport';

jest.setTimeout(60_000);

let transport: KafkaTransport;
let toNowhere: Promise<unknown>;
beforeAll(() => {
  transport = kafkaTransport();
  // Looked for again and again before it is given up: goes on while the other tests run.
  const lost = kafkaTransport();
  const message = { topic: 'nobody-made-this.v1', key: 'a', headers: {}, value: '1' };
  toNowhere = lost
    .publish([message])
    .catch((error: unknown) => error)
    .finally(() => lost.close());
});
afterAll(() => transport.close());

describe('Kafka', () => {
  transportContract(() => ({ transport, newTopic: newKafkaTopic }));

  it('never makes a topic by writing to it', async () => {
    expect(await toNowhere).toMatchObject({ message: expect.stringContaining('does not host this topic-partition') });
  });
});

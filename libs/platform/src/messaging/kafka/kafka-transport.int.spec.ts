import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { transportContract } from '../transport-contract.fixture';
import { silent } from '../messaging.fixture';
import { kafkaClient } from './kafka-client';
import { KafkaPublisher } from './kafka-publisher';
import { kafkaTransport, newKafkaTopic } from './kafka.fixture';
import type { KafkaTransport } from './kafka-transport';

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

describe('Kafka', () => {
  transportContract(() => ({ transport, newTopic: newKafkaTopic }));

  it('never makes a topic by writing to it', async () => {
    expect(await toNowhere).toMatchObject({ message: expect.stringContaining('does not host this topic-partition') });
  });

  it('gives up a broker that accepts connections and never answers', async () => {
    expect(await toSilence).toMatchObject({ message: 'Kafka has not answered within 500 ms' });
  });
});

async function publishToSilence(): Promise<unknown> {
  const callers: Socket[] = [];
  const silentBroker = createServer((caller) => callers.push(caller)).listen(0, '127.0.0.1');
  await once(silentBroker, 'listening');
  const brokers = [`127.0.0.1:${(silentBroker.address() as AddressInfo).port}`];
  const publisher = new KafkaPublisher(kafkaClient({ brokers }, 'test', silent), 500);
  const message = { topic: 'any.v1', key: 'a', headers: {}, value: '1' };
  const error = await publisher.publish([message]).catch((refused: unknown) => refused);
  silentBroker.close();
  for (const caller of callers) caller.destroy();
  return error;
}

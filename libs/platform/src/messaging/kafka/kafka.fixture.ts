import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { deadLetterTopic } from '@evenkeel/contracts';
import { Kafka, logLevel } from 'kafkajs';
import { DatabaseLine } from '../../testing';
import { silent } from '../messaging.fixture';
import { makeTopics } from './kafka-client';
import { KafkaTransport } from './kafka-transport';

/** The broker of this run. */
export function testBrokers(): string[] {
  const brokers = process.env.TEST_KAFKA_BROKERS;
  if (!brokers) throw new Error('TEST_KAFKA_BROKERS is not set: run the suite with jest from the root folder.');
  return brokers.split(',');
}

export function kafkaTransport(brokers = testBrokers()): KafkaTransport {
  return new KafkaTransport({ access: { brokers }, clientId: 'test', log: silent });
}

/** A topic and its dead letters, with a name of its own. */
export async function newKafkaTopic(brokers = testBrokers()): Promise<string> {
  const topic = `test.${randomUUID()}.v1`;
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const topics = [topic, deadLetterTopic(topic)].map((name) => ({ topic: name, numPartitions: 3 }));
  await makeTopics(admin, topics);
  await admin.disconnect();
  return topic;
}

/** @see https://kafka.apache.org/protocol.html#protocol_api_keys */
const REQUESTS = { listOffsets: 2, joinGroup: 11, apiVersions: 18 } as const;

/** Behind its length. */
const KEY_AT = 4;

/** The connections of a client to the broker of this run, through a line that once loses a request. */
export class BrokerLine implements AsyncDisposable {
  readonly kafka = new Kafka({
    brokers: testBrokers(),
    logLevel: logLevel.NOTHING,
    socketFactory: ({ onConnect }) => connect(Number(new URL(this.line.url).port), '127.0.0.1', onConnect),
  });
  /** Whether the request has come. */
  lost = false;

  private constructor(private readonly line: DatabaseLine) {}

  /** The first request of one kind, and all that follows it on its connection, is left without an answer. */
  static async ignoring(request: keyof typeof REQUESTS): Promise<BrokerLine> {
    const line = new BrokerLine(await DatabaseLine.to(`kafka://${testBrokers()[0]}`));
    void line.line.hold((sent) => sent.readInt16BE(KEY_AT) === REQUESTS[request]).then(() => (line.lost = true));
    return line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.line.cut();
  }
}

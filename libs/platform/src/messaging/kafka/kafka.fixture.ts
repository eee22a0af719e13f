import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { deadLetterTopic } from '@evenkeel/contracts';
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

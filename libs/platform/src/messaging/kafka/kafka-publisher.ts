import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import { type Kafka, Partitioners, type Producer, type TopicMessages } from 'kafkajs';
import type { EventMessage } from '../cloud-events';
import { SharedConnection } from './kafka-client';

const ALL_REPLICAS = -1;

/** An idempotent producer: a message that it repeats is stored once. */
export class KafkaPublisher {
  private readonly producer: SharedConnection<Producer>;

  /** @param ending from then on no answer is waited for */
  constructor(kafka: Kafka, ending: AbortSignal) {
    const create = () =>
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        // The partition that every client of Kafka gives a key.
        createPartitioner: Partitioners.DefaultPartitioner,
        // Bounded, unlike the default of an idempotent producer: the caller gets the error and decides.
        retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
      });
    this.producer = new SharedConnection(create, ending);
  }

  /** @throws Error when the broker has not stored them; it may store them later all the same */
  async publish(messages: readonly EventMessage[]): Promise<void> {
    const topicMessages = byTopic(messages);
    await this.producer.ask((producer) => producer.sendBatch({ acks: ALL_REPLICAS, topicMessages }));
  }

  /** The message to each partition of a stream. @throws Error when the broker has not stored all */
  async broadcast({ topic, headers, value }: EventMessage): Promise<void> {
    const partitions = Array.from({ length: STREAM_PARTITIONS }, (_, partition) => partition);
    const messages = partitions.map((partition) => ({ partition, key: null, headers, value }));
    await this.producer.ask((producer) => producer.send({ acks: ALL_REPLICAS, topic, messages }));
  }

  close(): Promise<void> {
    return this.producer.drop();
  }
}

function byTopic(messages: readonly EventMessage[]): TopicMessages[] {
  const topics = new Map<string, TopicMessages>();
  for (const { topic, key, headers, value } of messages) {
    let entry = topics.get(topic);
    if (!entry) topics.set(topic, (entry = { topic, messages: [] }));
    entry.messages.push({ key, value, headers });
  }
  return [...topics.values()];
}

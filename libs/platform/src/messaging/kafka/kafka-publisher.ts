import type { Kafka, Producer, TopicMessages } from 'kafkajs';
import type { EventMessage } from '../event-message';
import { KeptConnection } from './kept-connection';
import { keyPartitioner } from './key-partitioner';

const ALL_REPLICAS = -1;

/** An idempotent producer: what it repeats itself is stored once. */
export class KafkaPublisher {
  private readonly producer: KeptConnection<Producer>;

  constructor(kafka: Kafka) {
    this.producer = new KeptConnection(() =>
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        createPartitioner: keyPartitioner,
        // Not without end, as an idempotent one would by itself: who waits for it is told, and decides.
        retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
      }),
    );
  }

  async publish(messages: readonly EventMessage[]): Promise<void> {
    const producer = await this.producer.get();
    try {
      await producer.sendBatch({ acks: ALL_REPLICAS, topicMessages: byTopic(messages) });
    } catch (error) {
      // The broker may have seen more than this producer believes: its numbers can no longer be trusted.
      await this.close();
      throw error;
    }
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

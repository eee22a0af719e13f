import { CompressionTypes, type Kafka, type Producer, type TopicMessages } from 'kafkajs';
import type { EventMessage } from '../event-message';
import { keyPartitioner } from './key-partitioner';

const ALL_REPLICAS = -1;

/** An idempotent producer: what it repeats itself is stored once. */
export class KafkaPublisher {
  private producer?: Promise<Producer>;

  constructor(
    private readonly kafka: Kafka,
    private readonly gzip: boolean,
  ) {}

  async publish(messages: readonly EventMessage[]): Promise<void> {
    const producer = await (this.producer ??= this.connect());
    const compression = this.gzip ? CompressionTypes.GZIP : CompressionTypes.None;
    try {
      await producer.sendBatch({ acks: ALL_REPLICAS, compression, topicMessages: byTopic(messages) });
    } catch (error) {
      // The broker may have seen more than this producer believes: its numbers can no longer be trusted.
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const producer = this.producer;
    this.producer = undefined;
    await producer?.then((connected) => connected.disconnect()).catch(() => undefined);
  }

  private async connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: keyPartitioner,
      // Not without end, as an idempotent one would by itself: who waits for it is told, and decides.
      retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
    });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      this.producer = undefined;
      throw error;
    }
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

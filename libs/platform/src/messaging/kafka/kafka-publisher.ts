import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import type { ICustomPartitioner, Kafka, Producer, TopicMessages } from 'kafkajs';
import type { EventMessage } from '../cloud-events';
import { ANSWER_LIMIT_MS, answeredWithin, SharedConnection } from './kafka-client';

const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/**
 * The partition that every client of Kafka gives a key: kafkajs computes the same in numbers of 64 bits,
 * which is a tenth of what publishing costs.
 */
export const keyPartitioner: ICustomPartitioner =
  () =>
  ({ message, partitionMetadata }) =>
    message.partition ?? (murmur2(Buffer.from(message.key!)) & 0x7fffffff) % partitionMetadata.length;

const ALL_REPLICAS = -1;

/** An idempotent producer: a message that it repeats is stored once. */
export class KafkaPublisher {
  private readonly producer: SharedConnection<Producer>;

  /**
   * @param answerLimitMs after which a producer is given up: kafkajs may wait for ever for a broker that was killed
   * @param ending from then on no answer is waited for
   */
  constructor(
    kafka: Kafka,
    private readonly answerLimitMs = ANSWER_LIMIT_MS,
    private readonly ending?: AbortSignal,
  ) {
    const create = () =>
      kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        createPartitioner: keyPartitioner,
        // Bounded, unlike the default of an idempotent producer: the caller gets the error and decides.
        retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
      });
    this.producer = new SharedConnection(create, ending);
  }

  /** @throws Error when the broker has not stored them; it may store them later all the same */
  async publish(messages: readonly EventMessage[]): Promise<void> {
    try {
      await answeredWithin(this.answerLimitMs, () => this.send(messages), this.ending);
    } catch (error) {
      // The broker may have seen more than this producer believes: its numbers can no longer be trusted.
      void this.close();
      throw error;
    }
  }

  /** The message to each partition of a stream. @throws Error when the broker has not stored all */
  async broadcast({ topic, headers, value }: EventMessage): Promise<void> {
    const messages = Array.from({ length: STREAM_PARTITIONS }, (_, partition) => ({ partition, headers, value }));
    try {
      await answeredWithin(this.answerLimitMs, async () => {
        const producer = await this.producer.get();
        await producer.send({ acks: ALL_REPLICAS, topic, messages: messages.map((one) => ({ ...one, key: null })) });
      });
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.producer.drop();
  }

  private async send(messages: readonly EventMessage[]): Promise<void> {
    const producer = await this.producer.get();
    await producer.sendBatch({ acks: ALL_REPLICAS, topicMessages: byTopic(messages) });
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

/** @see https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/utils/Utils.java */
function murmur2(key: Buffer): number {
  let hash = SEED ^ key.length;
  const tail = key.length & ~3;
  for (let place = 0; place < tail; place += 4) {
    const word = Math.imul(key.readInt32LE(place), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word ^ (word >>> 24), MULTIPLIER);
  }
  if (tail < key.length) {
    for (let place = key.length - 1; place >= tail; place--) hash ^= key[place]! << (8 * (place - tail));
    hash = Math.imul(hash, MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

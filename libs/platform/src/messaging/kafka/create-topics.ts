import { deadLetterTopic, STREAM_PARTITIONS, STREAMS } from '@evenkeel/contracts';
import type { MessagingLog } from '../messaging-log';
import { kafkaClient } from './kafka-client';

const KEPT_FOR_EVER = [
  { name: 'cleanup.policy', value: 'delete' },
  { name: 'retention.ms', value: '-1' },
];
const BROKERS_DEFAULT = -1;

export interface CreateTopicsOptions {
  brokers: readonly string[];
  log: MessagingLog;
  /** Copies of each partition. Default: what the brokers are set to. */
  replicas?: number;
}

export interface TopicReport {
  created: string[];
  /** Were there before, as they should be. */
  kept: string[];
  /** Were there before with another number of partitions: order of keys would break if that changed. */
  wrong: { topic: string; partitions: number }[];
}

/** Every stream and its dead letters, 12 partitions each, kept for ever. Repeatable. */
export async function createTopics({
  brokers,
  log,
  replicas = BROKERS_DEFAULT,
}: CreateTopicsOptions): Promise<TopicReport> {
  const names = STREAMS.flatMap(({ topic }) => [topic, deadLetterTopic(topic)]);
  const admin = kafkaClient(brokers, 'topics-create', log).admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = names.filter((name) => !existing.has(name));
    const topics = missing.map((topic) => ({
      topic,
      numPartitions: STREAM_PARTITIONS,
      replicationFactor: replicas,
      configEntries: KEPT_FOR_EVER,
    }));
    if (topics.length > 0) await admin.createTopics({ topics, waitForLeaders: true });
    const { topics: found } = await admin.fetchTopicMetadata({ topics: names });
    const wrong = found
      .filter(({ partitions }) => partitions.length !== STREAM_PARTITIONS)
      .map(({ name, partitions }) => ({ topic: name, partitions: partitions.length }));
    return { created: missing, kept: names.filter((name) => existing.has(name)), wrong };
  } finally {
    await admin.disconnect();
  }
}

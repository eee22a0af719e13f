import { deadLetterTopic, STREAM_PARTITIONS, STREAMS } from '@evenkeel/contracts';
import type { BrokerAccess } from '@evenkeel/platform/config';
import { kafkaClient, makeTopics, withAdmin } from '@evenkeel/platform/messaging/kafka';

const KEPT_FOR_EVER = [
  { name: 'cleanup.policy', value: 'delete' },
  { name: 'retention.ms', value: '-1' },
];
const BROKERS_DEFAULT = -1;

interface CreateTopicsOptions {
  access: BrokerAccess;
  log: { warn(line: object): void; error(line: object): void };
  /** Copies of each partition. Default: what the brokers are set to. */
  replicas?: number;
  /** So many copies have an event before it is published. Default: what the brokers are set to. */
  minInsyncReplicas?: number;
}

interface TopicReport {
  created: string[];
  /** Were there before, as they should be. */
  kept: string[];
  /** Were there before with another number of partitions: order of keys would break if that changed. */
  wrong: { topic: string; partitions: number }[];
}

/** Creates every stream and its dead letters: 12 partitions each, stored for ever. Repeatable. */
export async function createTopics({
  access,
  log,
  replicas = BROKERS_DEFAULT,
  minInsyncReplicas,
}: CreateTopicsOptions): Promise<TopicReport> {
  const names = STREAMS.flatMap(({ topic }) => [topic, deadLetterTopic(topic)]);
  const configEntries = [...KEPT_FOR_EVER];
  if (minInsyncReplicas !== undefined) {
    configEntries.push({ name: 'min.insync.replicas', value: String(minInsyncReplicas) });
  }
  const form = { numPartitions: STREAM_PARTITIONS, replicationFactor: replicas, configEntries };
  return withAdmin(kafkaClient(access, 'topics-create', log), async (admin) => {
    const existing = new Set(await admin.listTopics());
    const missing = names.filter((name) => !existing.has(name));
    if (missing.length > 0)
      await makeTopics(
        admin,
        missing.map((topic) => ({ topic, ...form })),
      );
    const { topics: found } = await admin.fetchTopicMetadata({ topics: names });
    const wrong = found
      .filter(({ partitions }) => partitions.length !== STREAM_PARTITIONS)
      .map(({ name, partitions }) => ({ topic: name, partitions: partitions.length }));
    return { created: missing, kept: names.filter((name) => existing.has(name)), wrong };
  });
}

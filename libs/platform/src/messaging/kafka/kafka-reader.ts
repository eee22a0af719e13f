import { setImmediate as nextTurn } from 'node:timers/promises';
import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage, TopicPartitionOffset } from 'kafkajs';
import { Backoff } from '../wait';
import type { ReceivedMessage } from '../cloud-events';
import { BATCH_SIZE, type Deliver, type RunningReader, type MessagingLog } from '../event-transport.port';

type Commit = (offset: string) => Promise<void>;

/** Partitions that are done at the same moment move on in one request. */
class OffsetCommits {
  private waiting: TopicPartitionOffset[] = [];
  private request?: Promise<void>;

  constructor(private readonly consumer: Consumer) {}

  add(offset: TopicPartitionOffset): Promise<void> {
    this.waiting.push(offset);
    return (this.request ??= this.send());
  }

  private async send(): Promise<void> {
    await nextTurn();
    const offsets = this.waiting;
    this.waiting = [];
    this.request = undefined;
    await this.consumer.commitOffsets(offsets);
  }
}

const SIGN_OF_LIFE_WITHIN_MS = 60_000;

interface KafkaReaderOptions {
  kafka: Kafka;
  group: string;
  topics: readonly string[];
  deliver: Deliver;
  log: MessagingLog;
  /** The reader has ended for good and does not come back. */
  onFatal: (error: Error) => void;
}

export function groupConsumer(kafka: Kafka, groupId: string): Consumer {
  return kafka.consumer({
    groupId,
    sessionTimeout: 30_000,
    heartbeatInterval: 3_000,
    rebalanceTimeout: 60_000,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 1_000,
  });
}

export class KafkaReader implements RunningReader {
  private readonly consumer: Consumer;
  private readonly commits: OffsetCommits;
  private readonly stopping = new AbortController();
  private readonly started: Promise<void>;
  private lastSign = performance.now();

  constructor(private readonly options: KafkaReaderOptions) {
    this.consumer = groupConsumer(options.kafka, options.group);
    this.commits = new OffsetCommits(this.consumer);
    const { HEARTBEAT, FETCH, CRASH } = this.consumer.events;
    const sign = (): void => void (this.lastSign = performance.now());
    this.consumer.on(HEARTBEAT, sign);
    this.consumer.on(FETCH, sign);
    this.consumer.on(CRASH, ({ payload: { error, restart } }) => {
      if (restart || this.stopping.signal.aborted) return;
      options.log.error({ message: 'events cannot be read any more', group: options.group, error });
      options.onFatal(error);
    });
    this.started = this.start();
  }

  isAlive(): boolean {
    return performance.now() - this.lastSign < SIGN_OF_LIFE_WITHIN_MS;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.started;
    await this.consumer.disconnect().catch(() => undefined);
  }

  /** Broker or topics may not be there yet. */
  private async start(): Promise<void> {
    const { group, topics, deliver, log } = this.options;
    const { signal } = this.stopping;
    const backoff = new Backoff(500, 5_000);
    while (!signal.aborted) {
      try {
        await this.consumer.connect();
        await this.consumer.subscribe({ topics: [...topics], fromBeginning: true });
        return await this.consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          // All: one whose event is tried again holds up no other, and what comes together can be applied together.
          partitionsConsumedConcurrently: topics.length * STREAM_PARTITIONS,
          eachBatch: async (payload) => {
            const { topic, partition } = payload.batch;
            await deliverBatch(payload, deliver, (offset) => this.commits.add({ topic, partition, offset }));
          },
        });
      } catch (error) {
        log.warn({ message: 'events cannot be read yet', group, error });
        await backoff.wait(signal);
      }
    }
  }
}

/**
 * Delivers what kafkajs fetched in batches of ours and commits behind each. Stops, leaving the rest to the next fetch,
 * when the partition is no longer ours or `deliver` rejects.
 */
export async function deliverBatch(payload: EachBatchPayload, deliver: Deliver, commit: Commit): Promise<void> {
  const { batch } = payload;
  let lost: Error | undefined;
  const keepAlive = async (): Promise<boolean> => {
    if (!payload.isRunning() || payload.isStale()) return false;
    try {
      await payload.heartbeat();
      return true;
    } catch (error) {
      lost = error as Error;
      return false;
    }
  };
  for (let first = 0; first < batch.messages.length; first += BATCH_SIZE) {
    if (!(await keepAlive())) break;
    const slice = batch.messages.slice(first, first + BATCH_SIZE);
    const messages = slice.map((message) => received(batch.topic, batch.partition, message));
    const done = await deliver({ messages, keepAlive }).then(
      () => true,
      () => false,
    );
    if (!done) break;
    const { offset } = slice.at(-1)!;
    await commit(String(BigInt(offset) + 1n));
    payload.resolveOffset(offset);
  }
  // kafkajs joins its group again, or gives up, by what the heartbeat said.
  if (lost) throw lost;
}

function received(
  topic: string,
  partition: number,
  { key, value, headers = {}, offset }: KafkaMessage,
): ReceivedMessage {
  const texts: Record<string, string> = {};
  for (const name in headers) {
    const header = headers[name];
    texts[name] = String(Array.isArray(header) ? header[0] : header);
  }
  return {
    topic,
    partition,
    offset,
    key: key?.toString() ?? '',
    headers: texts,
    value: value?.toString() ?? '',
  };
}

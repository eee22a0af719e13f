import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import type { Consumer, Kafka } from 'kafkajs';
import { Backoff } from '../backoff';
import type { Deliver, RunningReader } from '../event-transport.port';
import type { MessagingLog } from '../messaging-log';
import { deliverBatch } from './kafka-batch';
import { OffsetCommits } from './offset-commits';

const SIGN_OF_LIFE_WITHIN_MS = 60_000;

export interface KafkaReaderOptions {
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

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, type Kafka, KafkaJSDeleteGroupsError } from 'kafkajs';
import type { BrokerAccess } from '../../config';
import type { EventMessage } from '../cloud-events';
import {
  type Deliver,
  EventTransport,
  type ReaderPosition,
  type RunningReader,
  type MessagingLog,
} from '../event-transport.port';
import { deliverBatch, groupConsumer, KafkaReader } from './kafka-reader';
import { ANSWER_LIMIT_MS, answeredWithin, kafkaClient, MEMBER, SharedConnection, withAdmin } from './kafka-client';
import { KafkaPublisher } from './kafka-publisher';

/** For all letters of a topic. */
const DRAIN_LIMIT_MS = 600_000;
const NEVER_HEARD_OF = 'GROUP_ID_NOT_FOUND';

/** Asks for positions again and again over one connection. */
export class KafkaPositions {
  private readonly admin: SharedConnection<Admin>;

  /**
   * @param answerLimitMs after which a connection is given up
   * @param ending from then on no answer is waited for
   */
  constructor(
    kafka: Kafka,
    private readonly answerLimitMs = ANSWER_LIMIT_MS,
    private readonly ending?: AbortSignal,
  ) {
    this.admin = new SharedConnection(() => kafka.admin(), ending);
  }

  async read(group: string, topic: string): Promise<ReaderPosition[]> {
    const positions = async () => readPositions(await this.admin.get(), group, topic);
    try {
      return await answeredWithin(this.answerLimitMs, positions, this.ending);
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.admin.drop();
  }
}

/** Asks again and again, over one connection and one question at a time, whether a broker answers. */
class BrokerQuestions {
  private readonly admin: SharedConnection<Admin>;
  private asked?: Promise<boolean>;

  constructor(
    kafka: Kafka,
    private readonly ending: AbortSignal,
  ) {
    this.admin = new SharedConnection(() => kafka.admin(), ending);
  }

  /** Who asks while a question waits for its answer gets that one. */
  answered(): Promise<boolean> {
    return (this.asked ??= this.ask().finally(() => (this.asked = undefined)));
  }

  close(): Promise<void> {
    return this.admin.drop();
  }

  private async ask(): Promise<boolean> {
    try {
      const cluster = async () => (await this.admin.get()).describeCluster();
      await answeredWithin(ANSWER_LIMIT_MS, cluster, this.ending);
      return true;
    } catch {
      void this.close();
      return false;
    }
  }
}

export interface KafkaTransportOptions {
  access: BrokerAccess;
  /** Name of the process in the broker's log. */
  clientId: string;
  log: MessagingLog;
}

/** Events over Kafka. Topics are never made by writing to them: see `createTopics`. */
export class KafkaTransport extends EventTransport {
  private readonly kafka: Kafka;
  private readonly members: Kafka;
  private readonly publisher: KafkaPublisher;
  private readonly progress: KafkaPositions;
  private readonly questions: BrokerQuestions;
  private readonly ending = new AbortController();
  private readonly readers = new Set<KafkaReader>();

  constructor(private readonly options: KafkaTransportOptions) {
    super();
    const { access, clientId, log } = options;
    this.kafka = kafkaClient(access, clientId, log);
    this.members = kafkaClient(access, clientId, log, MEMBER);
    const { signal } = this.ending;
    // Each wait listens to it.
    setMaxListeners(0, signal);
    this.publisher = new KafkaPublisher(this.kafka, ANSWER_LIMIT_MS, signal);
    this.progress = new KafkaPositions(this.kafka, ANSWER_LIMIT_MS, signal);
    this.questions = new BrokerQuestions(this.kafka, signal);
  }

  override publish(messages: readonly EventMessage[]): Promise<void> {
    return this.publisher.publish(messages);
  }

  override broadcast(message: EventMessage): Promise<void> {
    return this.publisher.broadcast(message);
  }

  override subscribe(group: string, topics: readonly string[], deliver: Deliver): RunningReader {
    const reading = { log: this.options.log, ending: this.ending.signal };
    const reader = new KafkaReader({ kafka: this.members, group, topics, deliver, ...reading });
    this.readers.add(reader);
    return reader;
  }

  override drain(group: string, topic: string, deliver: Deliver): Promise<void> {
    const drained = () => drainTopic(this.members, group, topic, deliver);
    return answeredWithin(DRAIN_LIMIT_MS, drained, this.ending.signal);
  }

  override positions(group: string, topic: string): Promise<ReaderPosition[]> {
    return this.progress.read(group, topic);
  }

  override rewind(group: string): Promise<void> {
    return forgetGroup(this.kafka, group);
  }

  override brokersAnswer(): Promise<boolean> {
    return this.questions.answered();
  }

  override endWithin(limitMs: number): void {
    setTimeout(() => this.ending.abort(), limitMs).unref();
  }

  override async close(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.stop()));
    await Promise.all([this.publisher.close(), this.progress.close(), this.questions.close()]);
  }
}

/** Forgets what a group has read. @throws when a member of the group is running */
async function forgetGroup(kafka: Kafka, groupId: string): Promise<void> {
  try {
    await withAdmin(kafka, (admin) => admin.deleteGroups([groupId]));
  } catch (error) {
    const failures = error instanceof KafkaJSDeleteGroupsError ? error.groups : undefined;
    if (!failures?.every(({ error: cause }) => cause?.type === NEVER_HEARD_OF)) throw error;
  }
}

/** Reads as the group up to where the topic ends now. */
async function drainTopic(kafka: Kafka, group: string, topic: string, deliver: Deliver): Promise<void> {
  const unread = await unreadEnds(kafka, group, topic);
  if (unread.size === 0) return;
  const consumer = groupConsumer(kafka, group);
  await consumer.connect();
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      const failing: Deliver = (batch) =>
        deliver(batch).catch((error: Error) => {
          reject(error);
          throw error;
        });
      const eachBatch = consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => {
          const { partition } = payload.batch;
          return deliverBatch(payload, failing, async (offset) => {
            await consumer.commitOffsets([{ topic, partition, offset }]);
            if (BigInt(offset) >= (unread.get(partition) ?? 0n)) unread.delete(partition);
            if (unread.size === 0) resolve();
          });
        },
      });
      eachBatch.catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
}

/** @returns the present end of each partition that holds something the group has not read */
async function unreadEnds(kafka: Kafka, group: string, topic: string): Promise<Map<number, bigint>> {
  const positions = await withAdmin(kafka, (admin) => readPositions(admin, group, topic));
  return new Map(positions.filter(({ next, end }) => next < end).map(({ partition, end }) => [partition, end]));
}

const OFFSET_TRIES = 10;
const OFFSET_PAUSE_MS = 300;

/** A partition that has just been made may have no leader yet, and kafkajs gives up at once. */
async function topicOffsets(admin: Admin, topic: string): ReturnType<Admin['fetchTopicOffsets']> {
  for (let tries = 1; ; tries++) {
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (error) {
      if (!(error as { retriable?: boolean }).retriable || tries === OFFSET_TRIES) throw error;
      await sleep(OFFSET_PAUSE_MS);
    }
  }
}

async function readPositions(admin: Admin, groupId: string, topic: string): Promise<ReaderPosition[]> {
  // Ends first: messages that are written meanwhile are left out.
  const ends = await topicOffsets(admin, topic);
  const [read] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return ends.map(({ partition, high, low }) => {
    const offset = BigInt(read?.partitions.find((position) => position.partition === partition)?.offset ?? -1);
    return { partition, next: offset < BigInt(low) ? BigInt(low) : offset, end: BigInt(high) };
  });
}

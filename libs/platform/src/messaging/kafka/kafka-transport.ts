import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { STREAM_PARTITIONS } from '@evenkeel/contracts';
import {
  type Admin,
  type Kafka,
  KafkaJSDeleteGroupsError,
  Partitioners,
  type Producer,
  type TopicMessages,
} from 'kafkajs';
import type { BrokerAccess } from '../../config';
import type { EventMessage } from '../cloud-events';
import {
  type Deliver,
  EventTransport,
  type ReaderPosition,
  type RunningReader,
  type MessagingLog,
} from '../event-transport.port';
import { KafkaReader } from './kafka-reader';
import { answeredWithin, kafkaClient, MEMBER, SharedConnection, withAdmin } from './kafka-client';

const ALL_REPLICAS = -1;
/** For all letters of a topic. */
const DRAIN_LIMIT_MS = 600_000;
const LOOK_EVERY_MS = 200;
const NEVER_HEARD_OF = 'GROUP_ID_NOT_FOUND';

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
  private readonly producer: SharedConnection<Producer>;
  /** For what is asked again and again. */
  private readonly admin: SharedConnection<Admin>;
  private asked?: Promise<boolean>;
  private readonly ending = new AbortController();
  private readonly readers = new Set<RunningReader>();

  constructor(private readonly options: KafkaTransportOptions) {
    super();
    const { access, clientId, log } = options;
    this.kafka = kafkaClient(access, clientId, log);
    this.members = kafkaClient(access, clientId, log, MEMBER);
    const { signal } = this.ending;
    // Each wait listens to it.
    setMaxListeners(0, signal);
    this.producer = new SharedConnection(() => idempotentProducer(this.kafka), signal);
    this.admin = new SharedConnection(() => this.kafka.admin(), signal);
  }

  override async publish(messages: readonly EventMessage[]): Promise<void> {
    const topicMessages = byTopic(messages);
    await this.producer.ask((producer) => producer.sendBatch({ acks: ALL_REPLICAS, topicMessages }));
  }

  override async broadcast({ topic, headers, value }: EventMessage): Promise<void> {
    const partitions = Array.from({ length: STREAM_PARTITIONS }, (_, partition) => partition);
    const messages = partitions.map((partition) => ({ partition, key: null, headers, value }));
    await this.producer.ask((producer) => producer.send({ acks: ALL_REPLICAS, topic, messages }));
  }

  override subscribe(group: string, topics: readonly string[], deliver: Deliver): RunningReader {
    const reading = { log: this.options.log, ending: this.ending.signal };
    const reader = new KafkaReader({ kafka: this.members, group, topics, deliver, ...reading });
    this.readers.add(reader);
    return reader;
  }

  override async drain(group: string, topic: string, deliver: Deliver): Promise<void> {
    const unread = async () => (await this.positions(group, topic)).filter(({ next, end }) => next < end);
    const ends = await unread();
    if (ends.length === 0) return;
    let isOver = false;
    let failure: Error | undefined;
    const reader = this.subscribe(group, [topic], (batch) =>
      deliver(batch).catch((error: Error) => {
        failure ??= error;
        throw error;
      }),
    );
    const read = async (): Promise<void> => {
      const isReached = async (): Promise<boolean> => {
        const left = new Map((await unread()).map(({ partition, next }) => [partition, next]));
        return ends.every(({ partition, end }) => (left.get(partition) ?? end) >= end);
      };
      while (!isOver && !failure && !(await isReached())) await sleep(LOOK_EVERY_MS);
      if (failure) throw failure;
    };
    try {
      await answeredWithin(DRAIN_LIMIT_MS, read, this.ending.signal);
    } finally {
      isOver = true;
      this.readers.delete(reader);
      await reader.stop();
    }
  }

  override positions(group: string, topic: string): Promise<ReaderPosition[]> {
    return this.admin.ask((admin) => readPositions(admin, group, topic));
  }

  override rewind(group: string): Promise<void> {
    return forgetGroup(this.kafka, group);
  }

  /** Who asks while a question waits for its answer gets that one. */
  override brokersAnswer(): Promise<boolean> {
    this.asked ??= this.admin
      .ask((admin) => admin.describeCluster())
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.asked = undefined));
    return this.asked;
  }

  override endWithin(limitMs: number): void {
    setTimeout(() => this.ending.abort(), limitMs).unref();
  }

  override async close(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.stop()));
    await Promise.all([this.producer.drop(), this.admin.drop()]);
  }
}

/** A message that it repeats is stored once. */
function idempotentProducer(kafka: Kafka): Producer {
  return kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    // The partition that every client of Kafka gives a key.
    createPartitioner: Partitioners.DefaultPartitioner,
    // Bounded, unlike the default of an idempotent producer: the caller gets the error and decides.
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
  });
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

/** Forgets what a group has read. @throws when a member of the group is running */
async function forgetGroup(kafka: Kafka, groupId: string): Promise<void> {
  try {
    await withAdmin(kafka, (admin) => admin.deleteGroups([groupId]));
  } catch (error) {
    const failures = error instanceof KafkaJSDeleteGroupsError ? error.groups : undefined;
    if (!failures?.every(({ error: cause }) => cause?.type === NEVER_HEARD_OF)) throw error;
  }
}

/** A partition that has just been made may have no leader yet, and kafkajs gives up at once. */
async function topicOffsets(admin: Admin, topic: string): ReturnType<Admin['fetchTopicOffsets']> {
  for (let triesLeft = 10; ; triesLeft--) {
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (error) {
      if (!(error as { retriable?: boolean }).retriable || triesLeft === 1) throw error;
      await sleep(300);
    }
  }
}

/** How far a group has come. */
export async function readPositions(admin: Admin, groupId: string, topic: string): Promise<ReaderPosition[]> {
  // Ends first: messages that are written meanwhile are left out.
  const ends = await topicOffsets(admin, topic);
  const [read] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return ends.map(({ partition, high, low }) => {
    const offset = BigInt(read?.partitions.find((position) => position.partition === partition)?.offset ?? -1);
    return { partition, next: offset < BigInt(low) ? BigInt(low) : offset, end: BigInt(high) };
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admin,
  type ITopicConfig,
  Kafka,
  type KafkaConfig,
  type KafkaJSProtocolError,
  type LogEntry,
  logLevel,
  type SASLOptions,
} from 'kafkajs';
import type { BrokerAccess } from '../../config';
import type { MessagingLog } from '../event-transport.port';
import { Wait } from '../wait';
import './quiet-connections';

interface Connectable {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
}

/** For a few requests with all their repetitions. */
export const ANSWER_LIMIT_MS = 30_000;

/**
 * kafkajs can wait for ever: for a broker that was killed while it connected, or for the answer to a request of a client
 * that is asked to disconnect meanwhile.
 * @param ending ends the wait early: the process stops
 * @throws Error when the work takes longer; it is not stopped
 */
export async function answeredWithin<Result>(
  limitMs: number,
  work: () => Promise<Result>,
  ending = new AbortController().signal,
): Promise<Result> {
  using answered = new Wait(ending);
  const late = async (): Promise<never> => {
    await sleep(limitMs, undefined, { signal: answered.signal }).catch(() => undefined);
    throw new Error(`Kafka has not answered ${ending.aborted ? 'before the end' : `within ${limitMs} ms`}`);
  };
  return await Promise.race([work(), late()]);
}

/**
 * One connection for all callers: opened by the first, dropped when it does not answer, and opened again by the next. What a
 * producer was asked may happen all the same, so its numbers can no longer be trusted.
 */
export class SharedConnection<Client extends Connectable> {
  private connected?: Promise<Client>;

  /**
   * @param limitMs after which a connection is given up: kafkajs may wait for ever for a broker that was killed
   * @param ending from then on no answer is waited for
   */
  constructor(
    private readonly create: () => Client,
    private readonly ending?: AbortSignal,
    private readonly limitMs = ANSWER_LIMIT_MS,
  ) {}

  /** @throws Error of the work, or when Kafka has left it without an answer */
  async ask<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    this.connected ??= this.open();
    const { connected } = this;
    try {
      return await answeredWithin(this.limitMs, async () => work(await connected), this.ending);
    } catch (error) {
      if (this.connected === connected) void this.drop();
      throw error;
    }
  }

  async drop(): Promise<void> {
    const dropped = this.connected;
    this.connected = undefined;
    if (!dropped) return;
    const left = () => dropped.then((client) => client.disconnect());
    await answeredWithin(ANSWER_LIMIT_MS, left, this.ending).catch(() => undefined);
  }

  private async open(): Promise<Client> {
    const client = this.create();
    await client.connect();
    return client;
  }
}

/** Every wait has an end, and every failure a second chance (reliability: patterns, Kafka client). */
const CLIENT: ClientLimits = {
  connectionTimeout: 3_000,
  requestTimeout: 10_000,
  retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8 },
};

/** How long a client waits, and how often it tries. */
export type ClientLimits = Pick<
  KafkaConfig,
  'connectionTimeout' | 'authenticationTimeout' | 'requestTimeout' | 'retry'
>;

/** After so long without a sign of life a member is out of its group. */
export const SESSION_MS = 30_000;

/**
 * For members of a group. They wait for its leader, and one that died is out after a session: who gave up before would be a
 * member without a sign of life in turn, for whom the others wait another session.
 */
export const MEMBER: ClientLimits = { ...CLIENT, requestTimeout: SESSION_MS + 10_000 };

export function kafkaClient(access: BrokerAccess, clientId: string, log: MessagingLog, limits = CLIENT): Kafka {
  const logCreator =
    () =>
    ({ level, namespace, log: { message, error } }: LogEntry): void => {
      // kafkajs repeats or throws what it logs as an error: no person must act on its lines.
      if (level <= logLevel.WARN) log.warn({ message: `kafka: ${message}`, namespace, reason: error as unknown });
    };
  return new Kafka({ clientId, ...connectionOf(access), ...limits, logLevel: logLevel.WARN, logCreator });
}

function connectionOf({ brokers, tls, login }: BrokerAccess): Pick<KafkaConfig, 'brokers' | 'ssl' | 'sasl'> {
  return {
    brokers: [...brokers],
    ...(tls && { ssl: tls.ca === undefined ? true : { ca: tls.ca } }),
    ...(login && { sasl: login as SASLOptions }),
  };
}

/** For a command: topics of all streams may take a broker some time. */
const COMMAND_LIMIT_MS = 60_000;

/** @throws Error of the work, or when Kafka has left it without an answer for a minute */
export async function withAdmin<Result>(kafka: Kafka, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = new SharedConnection(() => kafka.admin(), undefined, COMMAND_LIMIT_MS);
  try {
    return await admin.ask(work);
  } finally {
    await admin.drop();
  }
}

/**
 * Makes topics, and waits until they are known. A broker knows a new topic after the controller has answered that it is made,
 * and says meanwhile that there is none: `waitForLeaders` of kafkajs takes that for final.
 * @throws Error when brokers do not know them within a minute
 */
export async function makeTopics(admin: Admin, topics: ITopicConfig[]): Promise<void> {
  await admin.createTopics({ topics, waitForLeaders: false });
  const names = topics.map(({ topic }) => topic);
  for (const end = performance.now() + COMMAND_LIMIT_MS; performance.now() < end; await sleep(100)) {
    try {
      await admin.fetchTopicMetadata({ topics: names });
      return;
    } catch (error) {
      if ((error as Partial<KafkaJSProtocolError>).type !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
    }
  }
  throw new Error(`Kafka still does not know a minute later: ${names.join(', ')}`);
}

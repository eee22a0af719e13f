import { once, EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { deadLetterTopic, STREAMS, type AppName } from '@evenkeel/contracts';
import { Backoff, Wait } from '../wait';
import {
  BATCH_SIZE,
  type Deliver,
  type RunningReader,
  EventTransport,
  type ReaderPosition,
  type MessagingLog,
} from '../event-transport.port';
import { appendToLog, forgetPositions, movePosition, readLog, readPosition, replaceInLog } from './event-log';
import type { EventMessage, ReceivedMessage } from '../cloud-events';

/** For what another process has published into the same database, where nobody asks for positions. */
const LOOK_EVERY_MS = 5_000;
const SIGN_OF_LIFE_WITHIN_MS = 60_000;

/**
 * Events between the services of one process, without a broker: a topic is a log in the database of the service that
 * owns it, made of its published outbox rows. Every reader has its own position there and may start again.
 */
export class InProcessBroker extends EventTransport {
  private readonly owners = new Map<string, DataSource>();
  private readonly readers = new Set<InProcessReader>();
  /** Position of the last broadcast of each topic. */
  private readonly broadcasts = new Map<string, string>();
  /** Emits the name of a topic that has new messages. */
  private readonly changes = new EventEmitter().setMaxListeners(0);

  constructor(private readonly log: MessagingLog) {
    super();
  }

  /** Stores the streams of an app and their dead letters in its database. Readers wait until their topics have one. */
  own(app: AppName, dataSource: DataSource): void {
    for (const { topic, owner } of STREAMS) if (owner === app) this.keep(topic, dataSource);
  }

  /** The same for one topic. */
  keep(topic: string, dataSource: DataSource): void {
    for (const name of [topic, deadLetterTopic(topic)]) {
      this.owners.set(name, dataSource);
      this.changes.emit(name);
    }
  }

  override async publish(messages: readonly EventMessage[]): Promise<void> {
    const topics = new Set(messages.map(({ topic }) => topic));
    for (const topic of topics) {
      const own = messages.filter((message) => message.topic === topic);
      await appendToLog(this.ownerOf(topic), topic, own);
      this.changes.emit(topic);
    }
  }

  /** A topic has one partition here. The one before is taken out of the log: it would grow without any event. */
  override async broadcast(message: EventMessage): Promise<void> {
    const { topic } = message;
    const before = this.broadcasts.get(topic) ?? null;
    this.broadcasts.set(topic, await replaceInLog(this.ownerOf(topic), message, before));
    this.changes.emit(topic);
  }

  override subscribe(group: string, topics: readonly string[], deliver: Deliver): RunningReader {
    const { changes, log, owners } = this;
    const reader = new InProcessReader({ group, topics, deliver, changes, log, owners });
    this.readers.add(reader);
    return reader;
  }

  override async drain(group: string, topic: string, deliver: Deliver): Promise<void> {
    await readToEnd(this.ownerOf(topic), { group, topic, deliver });
  }

  override async positions(group: string, topic: string): Promise<ReaderPosition[]> {
    const owner = this.owners.get(topic);
    // Nothing is written yet to a topic whose owner does not run: nobody is behind.
    if (!owner) return [];
    const { read, last } = await readPosition(owner, group, topic);
    // A process that watches how far a group has come finds what another process has published before its reader looks.
    if (last > read) this.changes.emit(topic);
    return [{ partition: 0, next: read + 1n, end: last + 1n }];
  }

  override async rewind(group: string): Promise<void> {
    if ([...this.readers].some((reader) => reader.reads(group))) throw new Error(`${group} is reading: stop it first`);
    for (const owner of new Set(this.owners.values())) await forgetPositions(owner, group);
  }

  /** It waits for databases alone, and each of their statements has an end. */
  override endWithin(): void {}

  override async close(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.stop()));
  }

  private ownerOf(topic: string): DataSource {
    const owner = this.owners.get(topic);
    if (!owner) throw new Error(`no service of this process owns ${topic}`);
    return owner;
  }
}

interface InProcessReaderOptions {
  group: string;
  topics: readonly string[];
  deliver: Deliver;
  changes: EventEmitter;
  log: MessagingLog;
  owners: ReadonlyMap<string, DataSource>;
}

class InProcessReader implements RunningReader {
  private readonly stopping = new AbortController();
  private readonly running: Promise<unknown>;
  private lastSign = performance.now();

  constructor(private readonly options: InProcessReaderOptions) {
    this.running = Promise.all(options.topics.map((topic) => this.follow(topic)));
  }

  /** Whether it is running for this group. */
  reads(group: string): boolean {
    return this.options.group === group && !this.stopping.signal.aborted;
  }

  isAlive(): boolean {
    return performance.now() - this.lastSign < SIGN_OF_LIFE_WITHIN_MS;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async follow(topic: string): Promise<void> {
    const { group, deliver, changes, log, owners } = this.options;
    const { signal } = this.stopping;
    const backoff = new Backoff(100, 2_000);
    while (!signal.aborted) {
      // Listens before it reads: a message that is published meanwhile ends the wait at once.
      using wait = new Wait(signal);
      const news = once(changes, topic, { signal: wait.signal }).catch(() => undefined);
      try {
        const owner = owners.get(topic);
        if (owner) await readToEnd(owner, { group, topic, deliver }, signal);
        this.lastSign = performance.now();
        backoff.reset();
        await Promise.race([news, sleep(LOOK_EVERY_MS, undefined, { signal: wait.signal }).catch(() => undefined)]);
      } catch (error) {
        if (!signal.aborted)
          log.warn({ message: 'events come again, because they could not be delivered', group, topic, error });
        await backoff.wait(signal);
      }
    }
  }
}

interface Reading {
  group: string;
  topic: string;
  deliver: Deliver;
}

/** Delivers what the group has not read, batch by batch. Of what is published meanwhile the reader is notified. */
async function readToEnd(owner: DataSource, { group, topic, deliver }: Reading, signal?: AbortSignal): Promise<void> {
  let messages: ReceivedMessage[];
  do {
    messages = await readLog(owner, group, topic, BATCH_SIZE);
    if (messages.length === 0) return;
    await deliver({ messages, keepAlive: async () => !signal?.aborted });
    await movePosition(owner, group, topic, messages.at(-1)!.offset);
  } while (messages.length === BATCH_SIZE && !signal?.aborted);
}

import { once, type EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { Backoff, Wait } from '../wait';
import { BATCH_SIZE, type Deliver, type RunningReader } from '../event-transport.port';
import type { MessagingLog } from '../messaging-log';
import { movePosition, readLog } from './event-log';

/** For what another process has published into the same database. */
const LOOK_EVERY_MS = 1_000;
const SIGN_OF_LIFE_WITHIN_MS = 60_000;

interface Reading {
  group: string;
  topic: string;
  deliver: Deliver;
}

export interface InProcessReaderOptions {
  group: string;
  topics: readonly string[];
  deliver: Deliver;
  /** Emits the name of a topic that has news. */
  changes: EventEmitter;
  log: MessagingLog;
  /** Undefined until a service has said that it keeps the topic. */
  ownerOf: (topic: string) => DataSource | undefined;
}

export class InProcessReader implements RunningReader {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  private lastSign = performance.now();

  constructor(private readonly options: InProcessReaderOptions) {}

  start(): void {
    this.running = Promise.all(this.options.topics.map((topic) => this.follow(topic)));
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
    const { group, deliver, changes, log, ownerOf } = this.options;
    const { signal } = this.stopping;
    const backoff = new Backoff(100, 2_000);
    while (!signal.aborted) {
      // Listens before it reads: what is published meanwhile ends the wait at once.
      using wait = new Wait(signal);
      const news = once(changes, topic, { signal: wait.signal }).catch(() => undefined);
      try {
        const owner = ownerOf(topic);
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

/** Delivers what the group has not read, batch by batch, until there is nothing left. */
export async function readToEnd(
  owner: DataSource,
  { group, topic, deliver }: Reading,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const messages = await readLog(owner, group, topic, BATCH_SIZE);
    if (messages.length === 0) return;
    await deliver({ messages, keepAlive: async () => !signal?.aborted });
    await movePosition(owner, group, topic, messages.at(-1)!.offset);
  }
}

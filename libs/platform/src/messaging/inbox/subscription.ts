import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic } from '@evenkeel/contracts';
import { BackgroundLoop } from '../../resilience/background-loop';
import { isHeartbeat, isPlaced, readHeartbeat, type Heartbeat, type ReceivedMessage } from '../cloud-events';
import type { MessageBatch, EventTransport, RunningReader, MessagingLog } from '../event-transport.port';
import { originalOf, reasonOf, parkedAmong, refuseReplay, replayRequests, deadLetterOf } from './parked-events';
import { Inbox, type InboxOptions } from './inbox';
import { DeliveryGatherer } from './delivery-gatherer';

/** Waits before an event that failed is tried again; when the last try fails too, it is given up. */
const RETRY_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 16_000];

const OUTAGE_DELAY_MS = 1_000;
const KEEP_ALIVE_EVERY_MS = 2_000;
const LOOK_EVERY_MS = 2_000;
/** Its steps wait for database and brokers, whose answers have their own limits. */
const UPKEEP_STOP_MS = 30_000;
const ERASE_EVERY_MS = 3_600_000;
/** One statement stays short, however many there are: after a rebuild those of years end within an hour. */
const ERASED_AT_ONCE = 50_000;
/** Marks of seen events outlive every repeated delivery. */
const ERASE_SEEN = `
  DELETE FROM inbox WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM inbox WHERE received_at < now() - interval '14 days' LIMIT ${ERASED_AT_ONCE}))`;

export interface SubscriptionOptions extends InboxOptions {
  transport: EventTransport;
  topics: readonly string[];
  log: MessagingLog;
  /** Called with the latest heartbeat of each partition, after the events before it; by default they are skipped. */
  takeHeartbeats?: (heartbeats: readonly Heartbeat[]) => Promise<void>;
  /** For tests; default `RETRY_DELAYS_MS`. */
  retryDelaysMs?: readonly number[];
}

/** The partition belongs to another reader, or this one stops: the rest is delivered again. */
class Released extends Error {}

/**
 * Reads topics for one service: each event once and in the order of its key. An event that fails is tried again;
 * after its last try it goes to the dead letters, its aggregate waits in `parked`, and all others move on. An outage of
 * the database or of the broker is waited out and is no failure.
 */
export class Subscription {
  private readonly inbox: Inbox;
  private readonly gatherer: DeliveryGatherer;
  private readonly upkeep: BackgroundLoop;
  private readonly stopping = new AbortController();
  private reader?: RunningReader;
  private eraseAfter = 0;

  constructor(private readonly options: SubscriptionOptions) {
    this.inbox = new Inbox(options);
    this.gatherer = new DeliveryGatherer((messages) => this.inbox.accept(messages));
    const { name: consumer, log } = options;
    this.upkeep = new BackgroundLoop({
      name: 'inbox-upkeep',
      everyMs: LOOK_EVERY_MS,
      withinMs: Infinity,
      run: (isStopping) => this.keepUp(isStopping),
      onRun: ({ failures, error }) => {
        if (failures > 0) log.warn({ message: 'the upkeep of the inbox was cut short', consumer, error });
      },
    });
  }

  start(): void {
    const { transport, name, topics } = this.options;
    this.reader = transport.subscribe(name, topics, (batch) => this.deliver(batch));
    this.upkeep.start();
  }

  isAlive(): boolean {
    return this.reader?.isAlive() ?? false;
  }

  /** Ends after the present transaction. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([this.upkeep.stop(UPKEEP_STOP_MS), this.reader?.stop()]);
  }

  private async deliver(batch: MessageBatch): Promise<void> {
    const { messages } = batch;
    const events = messages.filter((message) => !isHeartbeat(message));
    if (events.length > 0) await this.deliverEvents({ messages: events, keepAlive: () => batch.keepAlive() });
    if (events.length < messages.length) await this.deliverHeartbeats(messages.filter(isHeartbeat));
    this.options.passed?.('offset');
  }

  /** The latest of each partition says what those before it said, and more. */
  private async deliverHeartbeats(messages: readonly ReceivedMessage[]): Promise<void> {
    const { takeHeartbeats, log, name } = this.options;
    try {
      const latest = new Map(messages.map((message) => [message.partition, message]));
      await takeHeartbeats?.([...latest.values()].map(readHeartbeat));
    } catch (error) {
      log.warn({ message: 'a heartbeat was missed', consumer: name, error });
    }
  }

  private async deliverEvents(batch: MessageBatch): Promise<void> {
    try {
      await this.gatherer.add(batch.messages);
    } catch {
      // One by one, to find the event that failed the batch.
      for (const message of batch.messages) await this.acceptOne(message, batch);
    }
  }

  private async acceptOne(message: ReceivedMessage, batch: MessageBatch): Promise<void> {
    const { log, name, retryDelaysMs = RETRY_DELAYS_MS } = this.options;
    for (let failures = 0; ;) {
      try {
        return await this.inbox.accept([message]);
      } catch (error) {
        const { topic, partition, offset } = message;
        const line = { consumer: name, topic, partition, offset, error };
        if (await this.isDatabaseDown()) {
          log.warn({ message: 'the database is not there: events wait', ...line });
          await this.pause(OUTAGE_DELAY_MS, batch);
        } else if (failures === retryDelaysMs.length) {
          log.error({ message: 'an event was given up, its aggregate is parked', ...line });
          return this.giveUp(message, reasonOf(error), batch);
        } else {
          log.warn({ message: 'an event could not be applied and is tried again', failures, ...line });
          await this.pause(retryDelaysMs[failures++]! * (0.8 + Math.random() * 0.4), batch);
        }
      }
    }
  }

  /** Dead letter first, then the table, then the offset: a crash in between repeats what keys make harmless. */
  private async giveUp(message: ReceivedMessage, reason: string, batch: MessageBatch): Promise<void> {
    const { transport, name, log } = this.options;
    for (;;) {
      try {
        await transport.publish([deadLetterOf(message, name, reason)]);
        return await this.inbox.parkFailed(message, reason);
      } catch (error) {
        log.warn({ message: 'a dead letter cannot be put away yet', topic: deadLetterTopic(message.topic), error });
        await this.pause(OUTAGE_DELAY_MS, batch);
      }
    }
  }

  private async isDatabaseDown(): Promise<boolean> {
    return this.options.dataSource.query('SELECT 1').then(
      () => false,
      () => true,
    );
  }

  /** @throws Released */
  private async pause(durationMs: number, batch: MessageBatch): Promise<void> {
    const { signal } = this.stopping;
    for (let leftMs = durationMs; leftMs > 0; leftMs -= KEEP_ALIVE_EVERY_MS) {
      await sleep(Math.min(leftMs, KEEP_ALIVE_EVERY_MS), undefined, { signal }).catch(() => undefined);
      if (signal.aborted || !(await batch.keepAlive())) throw new Released();
    }
  }

  /** Replays what an operator asks for, and erases old marks. @returns whether some of these are left */
  private async keepUp(isStopping: () => boolean): Promise<boolean> {
    const { dataSource, name, topics, transport } = this.options;
    const aggregates = await replayRequests(dataSource.manager, name);
    for (const aggregate of aggregates) await this.replay(aggregate, isStopping);
    for (const topic of aggregates.length > 0 ? topics : []) {
      await transport.drain(`${name}.replay`, deadLetterTopic(topic), (batch) => this.replayLetters(batch));
    }
    if (performance.now() < this.eraseAfter) return false;
    const [, erased] = await dataSource.query<[unknown, number]>(ERASE_SEEN);
    if (erased === ERASED_AT_ONCE) return true;
    this.eraseAfter = performance.now() + ERASE_EVERY_MS;
    return false;
  }

  /** In order of their numbers, until none is left or one fails again. */
  private async replay(aggregate: string, isStopping: () => boolean): Promise<void> {
    const { dataSource, name, log } = this.options;
    try {
      while (await this.inbox.acceptParked(aggregate)) if (isStopping()) return;
    } catch (error) {
      await refuseReplay(dataSource.manager, name, aggregate, reasonOf(error));
      log.error({ message: 'a replayed event failed again', consumer: name, error });
    }
  }

  /** Letters repeat what the table holds; one that the table lost is applied here. */
  private async replayLetters({ messages }: MessageBatch): Promise<void> {
    const { dataSource, name } = this.options;
    for (const letter of messages) {
      const message = originalOf(letter, name);
      if (!message || !isPlaced(message)) continue;
      const stillParked = await parkedAmong(dataSource.manager, name, [message.key]);
      if (stillParked.size === 0) await this.inbox.accept([message]);
    }
  }
}

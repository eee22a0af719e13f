import { setTimeout as sleep } from 'node:timers/promises';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { BATCH_SIZE, type EventTransport, type MessagingLog } from '../event-transport.port';
import { startSpan, type TraceSpan } from '../../observability';
import { Backoff } from '../wait';
import { Heartbeat } from './heartbeat';
import { messageOf, type OutboxRow } from './outbox';
import { RelaySession } from './relay-session';

const TRY_LOCK_EVERY_MS = 1_000;
/** It is woken when rows are written: this finds those of which the database did not notify it. */
const POLL_MS = 1_000;
const ERASE_EVERY_MS = 3_600_000;
const ERASE_ROWS = 1_000;
const STOP_LIMIT_MS = 10_000;

/** The steps of a relay between which a process may die; tests make it die there. */
export const RELAY_CRASH_POINTS = ['relay_sent', 'relay_marked'] as const;
export type RelayCrashPoint = (typeof RELAY_CRASH_POINTS)[number];

export interface OutboxRelayOptions {
  /** The database with the outbox; the relay has a connection of its own to it. */
  database: DataSourceOptions;
  transport: EventTransport;
  /** CloudEvents source of this service. */
  source: string;
  log: MessagingLog;
  /** The streams of this service, that get heartbeats; by default none. */
  topics?: readonly string[];
  /** Days until published rows are erased; null: never, for the in-process transport. */
  keepDays: number | null;
  /** For tests: called after each step at which the process may die. */
  passed?: (point: RelayCrashPoint) => void;
  /** For tests: after so long without a statement it is no relay any more. Default 90 s. */
  silenceMs?: number;
}

/**
 * Publishes the rows of an outbox in their order, at least once. However many relays a database has, one works: it
 * holds a lock, and another takes over when its session ends. Loss of broker or database is waited out.
 */
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly backoff = new Backoff(200, 5_000);
  private readonly gathering = new Gathering();
  private readonly heartbeat: Heartbeat;
  private running: Promise<void> = Promise.resolve();
  private eraseAfter = 0;
  private active = false;

  constructor(private readonly options: OutboxRelayOptions) {
    this.heartbeat = new Heartbeat(options);
  }

  /** Whether it is the one that works: it holds the lock. */
  get isActive(): boolean {
    return this.active;
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  start(): void {
    this.running = this.run();
  }

  /** Ends after the present batch and releases the lock. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.race([this.running, sleep(STOP_LIMIT_MS, undefined, { ref: false })]);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await using session = await RelaySession.open(this.options.database, this.options.silenceMs);
        await this.relay(session, signal).finally(() => (this.active = false));
      } catch (error) {
        this.options.log.warn({ message: 'the outbox cannot be read', error });
        await this.backoff.wait(signal);
      }
    }
  }

  private async relay(session: RelaySession, signal: AbortSignal): Promise<void> {
    while (!(await session.takeLock())) {
      await sleep(TRY_LOCK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
    this.active = true;
    let isFull = false;
    while (!signal.aborted) {
      // Events behind a full batch wait already.
      if (!isFull) await this.gathering.wait(signal);
      const rows = await session.unpublished(BATCH_SIZE);
      isFull = rows.length === BATCH_SIZE;
      this.gathering.add(rows.length);
      await this.beat(session, rows);
      if (rows.length === 0) {
        await session.wait(POLL_MS, signal);
      } else if (await this.send(rows)) {
        await session.markPublished(rows);
        this.options.passed?.('relay_marked');
      } else {
        await session.countAttempt(rows);
        await this.backoff.wait(signal);
      }
      // Also where events come without a pause.
      await this.eraseOld(session);
    }
  }

  /** One that cannot be sent is missed by the readers, and events go on. */
  private async beat({ client }: RelaySession, next: OutboxRow[]): Promise<void> {
    await this.heartbeat.beat(client, next).catch((error: unknown) => {
      this.options.log.warn({ message: 'a heartbeat cannot be sent', error });
    });
  }

  /** One batch is on its way at a time. @returns whether the broker has all of it */
  private async send(rows: OutboxRow[]): Promise<boolean> {
    const { transport, source, passed, log } = this.options;
    const spans = rows.flatMap(spanOf);
    let failed = true;
    try {
      await transport.publish(rows.map((row) => messageOf(row, source)));
      failed = false;
    } catch (error) {
      log.warn({ message: 'events cannot be published', waiting: rows.length, error });
      return false;
    } finally {
      for (const span of spans) span.end({}, failed);
    }
    passed?.('relay_sent');
    this.backoff.reset();
    return true;
  }

  private async eraseOld(session: RelaySession): Promise<void> {
    const { keepDays } = this.options;
    if (keepDays === null || performance.now() < this.eraseAfter) return;
    const more = await session.erasePublished(keepDays, ERASE_ROWS);
    this.eraseAfter = more ? 0 : performance.now() + ERASE_EVERY_MS;
  }
}

const GATHER_MS = 500;
/** In so long, to count as many: an event that comes alone is published at once. */
const MANY = 20;

/**
 * Under load events gather for half a second before they are read: for the database, the broker and all who follow, one
 * large step costs a fraction of many small ones.
 */
class Gathering {
  private begunAt = -Infinity;
  private gathered = 0;
  private gatheredBefore = 0;

  /** Rows that were read. */
  add(rows: number): void {
    this.gathered += rows;
  }

  async wait(signal: AbortSignal): Promise<void> {
    const leftMs = this.begunAt + GATHER_MS - performance.now();
    if (leftMs > 0) {
      if (Math.max(this.gathered, this.gatheredBefore) < MANY) return;
      await sleep(leftMs, undefined, { signal }).catch(() => undefined);
    }
    const isRecent = leftMs > -GATHER_MS;
    [this.begunAt, this.gatheredBefore, this.gathered] = [performance.now(), isRecent ? this.gathered : 0, 0];
  }
}

/** Of the publishing of a row whose event is traced. */
function spanOf({ type, topic, traceparent: parent }: OutboxRow): TraceSpan[] {
  if (parent === null) return [];
  const start = { kind: 'producer', parent, attributes: { 'messaging.destination.name': topic } } as const;
  const span = startSpan(`relay ${type}`, start);
  return span ? [span] : [];
}

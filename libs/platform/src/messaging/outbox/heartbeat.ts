import { HEARTBEAT_EVERY_MS } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import type { ClientBase } from 'pg';
import { heartbeatMessage } from '../cloud-events';
import { BATCH_SIZE, type EventTransport } from '../event-transport.port';
import type { OutboxRow } from './outbox-rows';

// Both by the clock of the database that wrote the row.
const TIMES = `
  SELECT clock_timestamp() AS "sentAt", (SELECT created_at FROM outbox WHERE seq = $1) AS "oldestUnpublishedAt"`;

interface HeartbeatOptions {
  transport: EventTransport;
  source: string;
  /** Streams that get one. */
  topics: readonly string[];
}

/** What a relay tells the readers of its streams while it works: that it does, and how far it is behind. */
export class Heartbeat {
  private dueAt = 0;

  constructor(private readonly options: HeartbeatOptions) {}

  /**
   * Every few seconds; between them it does nothing.
   * @param client of the relay: without its lock nothing is said
   * @param next what is published next. A full batch means that there is a backlog.
   */
  async beat(client: ClientBase, next: readonly OutboxRow[]): Promise<void> {
    const { topics, transport, source } = this.options;
    if (topics.length === 0 || performance.now() < this.dueAt) return;
    const waiting = next.length < BATCH_SIZE ? null : next[0]!.seq;
    const { rows } = await client.query<{ sentAt: Date; oldestUnpublishedAt: Date | null }>(TIMES, [waiting]);
    const { sentAt, oldestUnpublishedAt } = rows[0]!;
    const data = {
      oldestUnpublishedAt: oldestUnpublishedAt?.toISOString() ?? null,
      sentAt: sentAt.toISOString(),
    };
    for (const topic of topics) await transport.broadcast(heartbeatMessage(topic, source, uuidv7(sentAt), data));
    this.dueAt = performance.now() + HEARTBEAT_EVERY_MS;
  }
}

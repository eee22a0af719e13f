import { HEARTBEAT_EVERY_MS } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import type { ClientBase } from 'pg';
import { heartbeatMessage } from '../cloud-events';
import { BATCH_SIZE } from '../event-transport.port';
import type { OutboxRow } from './outbox';
import type { OutboxRelayOptions } from './outbox-relay';

/** Rows on their way are younger: events gather for half a second. */
const WAITS_FROM = `interval '1 second'`;

// Both by the clock of the database that wrote the row. Behind a full batch there is a backlog, however young it is.
const TIMES = `
  SELECT clock_timestamp() AS "sentAt",
    (SELECT created_at FROM outbox WHERE seq = $1 AND ($2 OR created_at < clock_timestamp() - ${WAITS_FROM}))
      AS "oldestUnpublishedAt"`;

/** A relay's message to the readers of its streams: that it works, and how far it is behind. */
export class Heartbeat {
  private dueAt = 0;
  private saidWaiting = false;

  constructor(private readonly options: Pick<OutboxRelayOptions, 'transport' | 'source' | 'topics'>) {}

  /**
   * Every few seconds, and at once when it said that events wait and they do no longer; between them it does nothing.
   * @param client of the relay: without its lock nothing is said
   * @param next what is published next: after the heartbeat
   */
  async beat(client: ClientBase, next: readonly OutboxRow[]): Promise<void> {
    const { topics = [], transport, source } = this.options;
    const isCaughtUp = this.saidWaiting && next.length === 0;
    if (topics.length === 0 || (performance.now() < this.dueAt && !isCaughtUp)) return;
    const values = [next[0]?.seq ?? null, next.length === BATCH_SIZE];
    const { rows } = await client.query<{ sentAt: Date; oldestUnpublishedAt: Date | null }>(TIMES, values);
    const { sentAt, oldestUnpublishedAt } = rows[0]!;
    const data = { oldestUnpublishedAt: oldestUnpublishedAt?.toISOString() ?? null, sentAt: sentAt.toISOString() };
    for (const topic of topics) await transport.broadcast(heartbeatMessage(topic, source, uuidv7(sentAt), data));
    this.dueAt = performance.now() + HEARTBEAT_EVERY_MS;
    this.saidWaiting = oldestUnpublishedAt !== null;
  }
}

import { Instant, Nullable } from '../schema/field.decorators';

/**
 * The relay of a stream works. One goes to each partition every `HEARTBEAT_EVERY_MS`, beside the events: it has no key, no
 * sequence and no place in an outbox, and nothing is applied. Both times are of one clock, so that readers compare them alone.
 */
export class StreamHeartbeat {
  static readonly type = 'stream.heartbeat';

  /** When the oldest event was written that is not published and not on its way; null when none waits. */
  @Nullable() @Instant() oldestUnpublishedAt!: string | null;
  @Instant() sentAt!: string;
}

export const HEARTBEAT_EVERY_MS = 5_000;

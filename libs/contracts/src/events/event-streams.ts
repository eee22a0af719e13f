import { PAYMENTS_STREAM } from '../payments/payment-events';
import { ACCOUNTS_STREAM } from '../people/account-events';
import { SUBSCRIPTIONS_STREAM } from '../people/subscription-events';
import type { AppName } from '../routes';
import { Instant, Nullable } from '../schema/field.decorators';
import type { Class } from '../schema/schema-of';

/** A class of data that one service publishes for others; its fields are decorated as those of a body. */
export interface EventClass<Data extends object = object> extends Class<Data> {
  /** CloudEvents type: thing, past fact. */
  readonly type: string;
  /** Topic, with its version. */
  readonly stream: string;
}

/** Kafka headers of an event: CloudEvents 1.0, binary content mode; the value is the JSON data alone. */
export const EVENT_HEADERS = {
  contentType: 'content-type',
  specVersion: 'ce_specversion',
  id: 'ce_id',
  type: 'ce_type',
  source: 'ce_source',
  subject: 'ce_subject',
  time: 'ce_time',
  partitionKey: 'ce_partitionkey',
  sequence: 'ce_sequence',
  traceparent: 'ce_traceparent',
} as const;

export const EVENT_CONTENT_TYPE = 'application/json';
export const CLOUD_EVENTS_VERSION = '1.0';

/** Headers that a consumer adds to an event when it gives up. */
export const DEAD_LETTER_HEADERS = {
  consumer: 'dlq_consumer',
  topic: 'dlq_topic',
  partition: 'dlq_partition',
  offset: 'dlq_offset',
  error: 'dlq_error',
} as const;

export interface Stream {
  topic: string;
  /** The only service that writes to it. */
  owner: AppName;
  /** The Kafka key: events of equal key keep their order. */
  key: 'wallet' | 'user';
  readers: readonly AppName[];
}

/** Order holds within a key, across event types: one stream per owner. */
export const STREAMS: readonly Stream[] = [
  { topic: PAYMENTS_STREAM, owner: 'agent-gateway', key: 'wallet', readers: ['reporting'] },
  { topic: SUBSCRIPTIONS_STREAM, owner: 'billing', key: 'user', readers: ['accounts', 'reporting'] },
  { topic: ACCOUNTS_STREAM, owner: 'accounts', key: 'user', readers: ['billing'] },
];

/** Of every stream. More of them would move keys, and so break their order. */
export const STREAM_PARTITIONS = 12;

/** Where a consumer puts what it cannot apply. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** `source` of the events of an app (CloudEvents). */
export function eventSource(app: AppName): string {
  return `/${app}`;
}

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

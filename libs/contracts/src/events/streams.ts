import { PAYMENTS_STREAM } from '../payments/payments-stream';
import type { AppName } from '../routes';

export interface Stream {
  topic: string;
  /** The only one that writes to it. */
  owner: AppName;
  /** What the Kafka key is: events of equal key keep their order. */
  key: 'wallet' | 'user';
  readers: readonly AppName[];
}

/** Order holds within a key, across event types: one stream per owner (D-133). */
export const STREAMS: readonly Stream[] = [
  { topic: PAYMENTS_STREAM, owner: 'agent-gateway', key: 'wallet', readers: ['reporting'] },
  { topic: 'evenkeel.subscriptions.v1', owner: 'billing', key: 'user', readers: ['accounts', 'reporting'] },
  { topic: 'evenkeel.accounts.v1', owner: 'accounts', key: 'user', readers: ['billing'] },
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

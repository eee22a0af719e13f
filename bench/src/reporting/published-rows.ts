import { CLOUD_EVENTS_VERSION, EVENT_CONTENT_TYPE, EVENT_HEADERS } from '@evenkeel/contracts';
import type { ReceivedMessage } from '@evenkeel/platform/messaging';

const H = EVENT_HEADERS;

/** An event in the order in which it was published; `data` is JSON. */
export interface PublishedRow {
  id: string;
  type: string;
  key: string;
  at: string;
  data: string;
}

/** SQL: an instant as events have it. */
export function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Events as a transport delivers them. */
export function messagesOf(topic: string, source: string, rows: readonly PublishedRow[]): ReceivedMessage[] {
  const sequences = new Map<string, number>();
  return rows.map(({ data, id, type, key, at }, index) => {
    const sequence = (sequences.get(key) ?? 0) + 1;
    sequences.set(key, sequence);
    const headers = {
      [H.contentType]: EVENT_CONTENT_TYPE,
      [H.specVersion]: CLOUD_EVENTS_VERSION,
      [H.id]: id,
      [H.type]: type,
      [H.source]: source,
      [H.subject]: key,
      [H.time]: at,
      [H.partitionKey]: key,
      [H.sequence]: String(sequence),
    };
    return { topic, partition: 0, offset: String(index), key, headers, value: data };
  });
}

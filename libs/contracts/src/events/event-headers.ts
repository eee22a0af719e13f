/** Kafka headers of an event: CloudEvents 1.0, binary content mode; the value is the JSON data alone (D-134). */
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
} as const;

export const EVENT_CONTENT_TYPE = 'application/json';
export const CLOUD_EVENTS_VERSION = '1.0';

/** What a consumer adds to an event that it gives up. */
export const DEAD_LETTER_HEADERS = {
  consumer: 'dlq_consumer',
  topic: 'dlq_topic',
  partition: 'dlq_partition',
  offset: 'dlq_offset',
  error: 'dlq_error',
} as const;

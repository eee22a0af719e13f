import {
  CLOUD_EVENTS_VERSION,
  EVENT_CONTENT_TYPE,
  EVENT_HEADERS as H,
  isInstant,
  StreamHeartbeat,
} from '@evenkeel/contracts';

/** An event with its CloudEvents attributes. */
export interface EventEnvelope<Data> {
  id: string;
  type: string;
  source: string;
  subject: string;
  /** When it happened. */
  time: Date;
  /** Kafka key: the aggregate. */
  key: string;
  /** The events of a key are numbered from 1, without gaps. */
  sequence: number;
  /** Of the step that made it, where that is traced. */
  traceparent?: string;
  data: Data;
}

/** A message of a transport, with any content. */
export interface EventMessage {
  topic: string;
  /** Messages of equal key arrive in the order in which they were published. */
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}

export interface ReceivedMessage extends EventMessage {
  partition: number;
  /** Grows within a partition; a whole number, possibly with gaps. */
  offset: string;
}

/** A message that is not an event of ours; the sentence names the part, never its value. */
class MalformedEvent extends Error {
  override readonly name = 'MalformedEvent';
}

const SEQUENCE = /^[1-9]\d{0,15}$/;

type EventAttributes = Omit<EventEnvelope<never>, 'data' | 'sequence' | 'traceparent'> & {
  sequence: string;
  traceparent?: string | null;
};

/** An event in binary mode: attributes in headers, the value is the data alone. */
export function toMessage(topic: string, attributes: EventAttributes, data: string): EventMessage {
  const { subject, time, key, sequence, traceparent } = attributes;
  const headers: Record<string, string> = {
    ...commonHeaders(attributes, time.toISOString()),
    [H.subject]: subject,
    [H.partitionKey]: key,
    [H.sequence]: sequence,
  };
  if (traceparent) headers[H.traceparent] = traceparent;
  return { topic, key, headers, value: data };
}

function commonHeaders({ id, type, source }: Pick<EventAttributes, 'id' | 'type' | 'source'>, time: string) {
  return {
    [H.contentType]: EVENT_CONTENT_TYPE,
    [H.specVersion]: CLOUD_EVENTS_VERSION,
    [H.id]: id,
    [H.type]: type,
    [H.source]: source,
    [H.time]: time,
  };
}

/**
 * Where an event belongs, without looking at its data.
 * @throws MalformedEvent
 */
export function placeOf({ key, headers }: EventMessage): { id: string; key: string; sequence: number } {
  const { [H.id]: id, [H.sequence]: sequence } = headers;
  if (!id) throw new MalformedEvent(`the header ${H.id} is missing`);
  if (sequence === undefined || !SEQUENCE.test(sequence)) throw new MalformedEvent(`${H.sequence} is not a number`);
  if (headers[H.partitionKey] !== key) throw new MalformedEvent(`${H.partitionKey} is not the key of the message`);
  return { id, key, sequence: Number(sequence) };
}

/** Whether it can be put into the order of an aggregate at all. */
export function isPlaced(message: EventMessage): boolean {
  try {
    return placeOf(message).sequence > 0;
  } catch {
    return false;
  }
}

/** @throws MalformedEvent */
export function readEvent(message: EventMessage): EventEnvelope<unknown> {
  const { headers, value } = message;
  const { id, key, sequence } = placeOf(message);
  if (headers[H.specVersion] !== CLOUD_EVENTS_VERSION) throw new MalformedEvent(`${H.specVersion} is not 1.0`);
  const { [H.type]: type, [H.source]: source, [H.subject]: subject = '', [H.time]: time } = headers;
  if (!type || !source) throw new MalformedEvent(`the header ${H.type} or ${H.source} is missing`);
  if (!isInstant(time)) throw new MalformedEvent(`${H.time} is not an instant`);
  const traceparent = headers[H.traceparent];
  // Named one by one: spreading the place took three times as long as all else here.
  return { id, key, sequence, type, source, subject, time: new Date(time), traceparent, data: parse(value) };
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new MalformedEvent('the value is not JSON', { cause });
  }
}

/** A sign of life of a stream, with the time of its reader's clock left out. */
export interface Heartbeat {
  partition: number;
  /** How old the oldest event was that waited to be published; 0 when none did. */
  waitedMs: number;
}

/**
 * A heartbeat for a topic, of a service.
 * @param data of its clock alone
 */
export function heartbeatMessage(topic: string, source: string, id: string, data: StreamHeartbeat): EventMessage {
  const headers = commonHeaders({ id, type: StreamHeartbeat.type, source }, data.sentAt);
  return { topic, key: '', headers, value: JSON.stringify(data) };
}

export function isHeartbeat({ headers }: EventMessage): boolean {
  return headers[H.type] === StreamHeartbeat.type;
}

/** @throws MalformedEvent */
export function readHeartbeat({ partition, value }: ReceivedMessage): Heartbeat {
  const { oldestUnpublishedAt, sentAt } = parse(value) as StreamHeartbeat;
  if (!isInstant(sentAt)) throw new MalformedEvent('a heartbeat without its time');
  const oldest = isInstant(oldestUnpublishedAt) ? oldestUnpublishedAt : sentAt;
  return { partition, waitedMs: Math.max(0, Date.parse(sentAt) - Date.parse(oldest)) };
}

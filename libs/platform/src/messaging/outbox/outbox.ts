import type { EventClass } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import type { EntityManager } from 'typeorm';
import { currentTraceparent } from '../../observability';
import { queryPrepared } from '../../persistence';
import { toMessage, type EventMessage } from '../cloud-events';

/** SQL expressions for the columns of events in the outbox. */
interface OutboxColumns {
  id: string;
  /** The stream of its class. */
  topic: string;
  /** The aggregate: events of one key arrive in order. */
  key: string;
  /** Its numbers have no gaps. */
  number: string;
  type: string;
  subject: string;
  occurredAt: string;
  payload: string;
  /** Of the step that makes the event; null without a trace. */
  traceparent: string;
}

/**
 * The SQL that writes events, for the statement that makes the change: both commit together, and the relay publishes the
 * events afterwards.
 * @param from what follows FROM: one row for each event, the numbers of a key in their order
 */
export function insertIntoOutbox(columns: OutboxColumns, from: string): string {
  const { id, topic, key, number, type, subject, occurredAt, payload, traceparent } = columns;
  return `INSERT INTO outbox (id, topic, aggregate, aggregate_seq, type, subject, occurred_at, payload, traceparent)
    SELECT ${id}, ${topic}, ${key}, ${number}, ${type}, ${subject}, ${occurredAt}, ${payload}, ${traceparent} FROM ${from}`;
}

export interface Announcement<Data> {
  /** The aggregate: events of one key arrive in order. */
  key: string;
  subject: string;
  occurredAt: Date;
  data: Data;
}

/** From the table of `createOutbox`. */
const NEXT_NUMBER = `
  INSERT INTO outbox_numbers AS n (aggregate, last_seq) VALUES ($1, 1)
  ON CONFLICT (aggregate) DO UPDATE SET last_seq = n.last_seq + 1 RETURNING last_seq AS number`;

const ANNOUNCED: OutboxColumns = {
  id: '$2',
  topic: '$3',
  key: '$1',
  number: 'number',
  type: '$4',
  subject: '$5',
  occurredAt: '$6',
  payload: '$7',
  traceparent: '$8',
};

/**
 * Writes one event in the transaction of the change that it describes.
 * @param tx the transaction of the change; no other transaction can announce for this key until it ends
 * @param numberOf SQL that returns the next number of the key `$1` as `number`, where an app has its own numbers
 */
export async function announce<Data extends object>(
  tx: EntityManager,
  event: EventClass<Data>,
  { key, subject, occurredAt, data }: Announcement<Data>,
  numberOf = NEXT_NUMBER,
): Promise<void> {
  const values = [uuidv7(occurredAt), event.stream, event.type, subject, occurredAt, JSON.stringify(data)];
  await queryPrepared(tx, `WITH numbered AS (${numberOf}) ${insertIntoOutbox(ANNOUNCED, 'numbered')}`, [
    key,
    ...values,
    currentTraceparent(),
  ]);
}

export interface OutboxRow {
  seq: string;
  id: string;
  topic: string;
  aggregate: string;
  aggregate_seq: string;
  type: string;
  subject: string;
  occurred_at: Date;
  traceparent: string | null;
  data: string;
}

export const ROW_COLUMNS =
  'id, topic, aggregate, aggregate_seq, type, subject, occurred_at, traceparent, payload::text AS data';

export function messageOf(row: Omit<OutboxRow, 'seq'>, source: string): EventMessage {
  const { topic, id, type, subject, occurred_at: time, aggregate: key, aggregate_seq: sequence } = row;
  return toMessage(topic, { id, type, source, subject, time, key, sequence, traceparent: row.traceparent }, row.data);
}

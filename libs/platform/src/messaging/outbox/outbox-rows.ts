import type { ClientBase } from 'pg';
import { type EventMessage, toMessage } from '../cloud-events';

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

// Never "seq greater than a cursor": sequences commit out of order, and a cursor would skip rows.
const UNPUBLISHED = `
  SELECT seq, ${ROW_COLUMNS} FROM outbox WHERE published_at IS NULL ORDER BY seq LIMIT $1`;
const MARK = 'UPDATE outbox SET published_at = now(), attempts = attempts + 1 WHERE seq = ANY($1::bigint[])';
const COUNT_ATTEMPT = 'UPDATE outbox SET attempts = attempts + 1 WHERE seq = ANY($1::bigint[])';
// The oldest rows by number: no index on the time of publishing, which every row would pay for.
const ERASE = `
  DELETE FROM outbox WHERE seq IN (
    SELECT seq FROM (SELECT seq, published_at FROM outbox ORDER BY seq LIMIT $2) oldest
    WHERE published_at < now() - make_interval(days => $1))`;

export async function readUnpublished(client: ClientBase, limit: number): Promise<OutboxRow[]> {
  const { rows } = await client.query<OutboxRow>({ name: 'outbox-unpublished', text: UNPUBLISHED, values: [limit] });
  return rows;
}

export async function markPublished(client: ClientBase, rows: readonly OutboxRow[]): Promise<void> {
  await client.query({ name: 'outbox-mark', text: MARK, values: [numbersOf(rows)] });
}

/** Of a batch that could not be sent. */
export async function countAttempt(client: ClientBase, rows: readonly OutboxRow[]): Promise<void> {
  await client.query(COUNT_ATTEMPT, [numbersOf(rows)]);
}

/** @returns whether there may be more */
export async function erasePublished(client: ClientBase, keepDays: number, limit: number): Promise<boolean> {
  const { rowCount } = await client.query(ERASE, [keepDays, limit]);
  return rowCount === limit;
}

export function messageOf(row: Omit<OutboxRow, 'seq'>, source: string): EventMessage {
  const { topic, id, type, subject, occurred_at: time, aggregate: key, aggregate_seq: sequence, ...rest } = row;
  const { traceparent, data } = rest;
  return toMessage(topic, { id, type, source, subject, time, key, sequence, traceparent }, data);
}

function numbersOf(rows: readonly OutboxRow[]): string[] {
  return rows.map(({ seq }) => seq);
}

import { EVENT_HEADERS } from '@evenkeel/contracts';
import type { DataSource } from 'typeorm';
import type { EventMessage, ReceivedMessage } from '../cloud-events';
import { LOOK_UP_BY_KEYS, queryPrepared } from '../../persistence';
import { messageOf, ROW_COLUMNS, type OutboxRow } from '../outbox/outbox';

/** Any constant: positions must become visible in their order. */
const APPEND_LOCK = 7_360_184_739;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// The log refers to a row of the outbox, once; it stores a whole message that is in no outbox, such as a dead letter.
const APPEND = `
  INSERT INTO event_log (topic, source, outbox_id, message)
  SELECT $1, m.source, o.id, CASE WHEN o.id IS NULL THEN m.whole END
  FROM unnest($2::text[], $3::uuid[], $4::jsonb[]) WITH ORDINALITY AS m (source, id, whole, place)
  LEFT JOIN outbox o ON o.id = m.id AND o.topic = $1
  ORDER BY m.place ON CONFLICT DO NOTHING`;

// One statement, which comes often: it waits for the lock before it takes a position, and keeps it until it has committed.
const REPLACE = `
  WITH taken AS (DELETE FROM event_log WHERE position = $1 AND outbox_id IS NULL)
  INSERT INTO event_log (topic, source, message)
  SELECT $2, $3, $4::jsonb FROM (SELECT pg_advisory_xact_lock(${APPEND_LOCK})) AS held
  RETURNING position`;

const READ = `
  SELECT l.position, l.source, l.message, o.*
  FROM event_log l LEFT JOIN LATERAL (
    SELECT ${ROW_COLUMNS} FROM outbox WHERE id = l.outbox_id
  ) o ON true
  WHERE l.topic = $1 AND l.position > coalesce((SELECT position FROM event_log_readers WHERE reader = $2 AND topic = $1), 0)
  ORDER BY l.position LIMIT $3`;

type LogRow = { position: string; source: string; message: EventMessage | null } & Omit<OutboxRow, 'seq'>;

/** @param messages of one topic; those that are in the log already stay where they are */
export async function appendToLog(
  dataSource: DataSource,
  topic: string,
  messages: readonly EventMessage[],
): Promise<void> {
  await dataSource.transaction(async (tx) => {
    await tx.query(`${LOOK_UP_BY_KEYS}; SELECT pg_advisory_xact_lock(${APPEND_LOCK})`);
    await queryPrepared(tx, APPEND, [
      topic,
      messages.map(({ headers }) => headers[EVENT_HEADERS.source] ?? ''),
      messages.map(({ headers: { [EVENT_HEADERS.id]: id = '' } }) => (UUID.test(id) ? id : null)),
      messages.map((message) => JSON.stringify(message)),
    ]);
  });
}

/**
 * Appends a message that is in no outbox and takes another one out of the log.
 * @param before position of the other one; null for none
 * @returns its own position
 */
export async function replaceInLog(
  dataSource: DataSource,
  message: EventMessage,
  before: string | null,
): Promise<string> {
  const values = [before, message.topic, message.headers[EVENT_HEADERS.source] ?? '', JSON.stringify(message)];
  const [{ position }] = await dataSource.query<[{ position: string }]>(REPLACE, values);
  return position;
}

/** The events that a reader has not read yet, oldest first. */
export async function readLog(
  dataSource: DataSource,
  reader: string,
  topic: string,
  limit: number,
): Promise<ReceivedMessage[]> {
  const rows = await dataSource.query<LogRow[]>(READ, [topic, reader, limit]);
  // A topic has one partition here.
  return rows.map(({ position, source, message, ...row }) => ({
    ...(message ?? messageOf(row, source)),
    partition: 0,
    offset: position,
  }));
}

export async function movePosition(dataSource: DataSource, reader: string, topic: string, to: string): Promise<void> {
  await dataSource.query(
    `INSERT INTO event_log_readers (reader, topic, position) VALUES ($1, $2, $3)
     ON CONFLICT (reader, topic) DO UPDATE SET position = excluded.position`,
    [reader, topic, to],
  );
}

/** Number of the message that the reader has read last, and of the last one there is; 0 where there is none. */
export async function readPosition(
  dataSource: DataSource,
  reader: string,
  topic: string,
): Promise<{ read: bigint; last: bigint }> {
  const [{ read, last }] = await dataSource.query<[{ read: string; last: string }]>(
    `SELECT coalesce((SELECT position FROM event_log_readers WHERE reader = $1 AND topic = $2), 0) AS read,
       coalesce((SELECT max(position) FROM event_log WHERE topic = $2), 0) AS last`,
    [reader, topic],
  );
  return { read: BigInt(read), last: BigInt(last) };
}

export async function forgetPositions(dataSource: DataSource, reader: string): Promise<void> {
  await dataSource.query('DELETE FROM event_log_readers WHERE reader = $1', [reader]);
}

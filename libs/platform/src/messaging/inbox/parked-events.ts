import { DEAD_LETTER_HEADERS, deadLetterTopic } from '@evenkeel/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { redacted } from '../../config';
import { type EventMessage, type ReceivedMessage, placeOf } from '../cloud-events';

const PARK = `
  INSERT INTO parked (consumer, aggregate, aggregate_seq, message_id, message, reason)
  SELECT $1, aggregate, aggregate_seq, message_id, message, $6
  FROM unnest($2::text[], $3::bigint[], $4::text[], $5::jsonb[]) AS waiting (aggregate, aggregate_seq, message_id, message)
  ON CONFLICT DO NOTHING`;

/** @param reason of the one that failed; those that wait behind it have none */
export async function park(
  tx: EntityManager,
  consumer: string,
  messages: readonly ReceivedMessage[],
  reason: string | null = null,
): Promise<void> {
  if (messages.length === 0) return;
  const places = messages.map(placeOf);
  await tx.query(PARK, [
    consumer,
    places.map(({ key }) => key),
    places.map(({ sequence }) => sequence),
    places.map(({ id }) => id),
    messages.map((message) => JSON.stringify(message)),
    reason,
  ]);
}

/** Which of the aggregates have something parked. Read it after `lockPositions`, which a replay takes too. */
export async function parkedAmong(
  tx: EntityManager,
  consumer: string,
  aggregates: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ aggregate: string }[]>(
    'SELECT DISTINCT aggregate FROM parked WHERE consumer = $1 AND aggregate = ANY($2::text[])',
    [consumer, aggregates],
  );
  return new Set(rows.map(({ aggregate }) => aggregate));
}

/** Where the first event of an aggregate waits. */
const IS_FIRST = `consumer = $1 AND aggregate = $2
  AND aggregate_seq = (SELECT min(aggregate_seq) FROM parked WHERE consumer = $1 AND aggregate = $2)`;

/** Takes the first event of an aggregate out of those that are parked. */
export async function unparkFirst(
  tx: EntityManager,
  consumer: string,
  aggregate: string,
): Promise<ReceivedMessage | undefined> {
  const [[row]] = await tx.query<[[{ message: ReceivedMessage }?], number]>(
    `DELETE FROM parked WHERE ${IS_FIRST} RETURNING message`,
    [consumer, aggregate],
  );
  return row?.message;
}

/** @returns aggregates that an operator wants to have tried again */
export async function replayRequests(tx: EntityManager, consumer: string): Promise<string[]> {
  const rows = await tx.query<{ aggregate: string }[]>(
    'SELECT DISTINCT aggregate FROM parked WHERE consumer = $1 AND replay_requested_at IS NOT NULL ORDER BY aggregate',
    [consumer],
  );
  return rows.map(({ aggregate }) => aggregate);
}

/** It failed again: stores the reason with its first message and withdraws the request. */
export async function refuseReplay(
  tx: EntityManager,
  consumer: string,
  aggregate: string,
  reason: string,
): Promise<void> {
  await tx.query(
    `UPDATE parked SET replay_requested_at = NULL, reason = CASE WHEN ${IS_FIRST} THEN $3 ELSE reason END
     WHERE consumer = $1 AND aggregate = $2`,
    [consumer, aggregate, reason],
  );
}

/**
 * Asks the running subscription to try its parked events again: it does so within moments.
 * @returns how many aggregates wait
 */
export async function requestReplay(dataSource: Pick<DataSource, 'query'>, consumer: string): Promise<number> {
  const [{ waiting } = { waiting: 0 }] = await dataSource.query<{ waiting: number }[]>(
    `WITH asked AS (UPDATE parked SET replay_requested_at = now() WHERE consumer = $1 RETURNING aggregate)
     SELECT count(DISTINCT aggregate)::integer AS waiting FROM asked`,
    [consumer],
  );
  return waiting;
}

const H = DEAD_LETTER_HEADERS;
const REASON_LENGTH = 500;

/** The message as it was, with where it failed and why. */
export function deadLetterOf(
  { topic, partition, offset, key, headers, value }: ReceivedMessage,
  consumer: string,
  reason: string,
): EventMessage {
  const failure = {
    [H.consumer]: consumer,
    [H.topic]: topic,
    [H.partition]: String(partition),
    [H.offset]: offset,
    [H.error]: reason,
  };
  return { topic: deadLetterTopic(topic), key, headers: { ...headers, ...failure }, value };
}

/** The message before it failed; null when another consumer gave it up. */
export function originalOf(letter: ReceivedMessage, consumer: string): ReceivedMessage | null {
  const { [H.consumer]: failedIn, [H.topic]: topic } = letter.headers;
  if (failedIn !== consumer || topic === undefined) return null;
  const { [H.partition]: partition, [H.offset]: offset = letter.offset } = letter.headers;
  return { ...letter, topic, partition: Number(partition), offset };
}

/** Name and sentence of an error, for operators: no stack, no data, no secret of the settings. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return redacted(text).slice(0, REASON_LENGTH);
}

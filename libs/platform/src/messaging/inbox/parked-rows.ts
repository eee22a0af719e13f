import type { DataSource, EntityManager } from 'typeorm';
import { placeOf, type ReceivedMessage } from '../cloud-events';

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

export async function firstParked(
  tx: EntityManager,
  consumer: string,
  aggregate: string,
): Promise<ReceivedMessage | undefined> {
  const [row] = await tx.query<[{ message: ReceivedMessage }?]>(
    'SELECT message FROM parked WHERE consumer = $1 AND aggregate = $2 ORDER BY aggregate_seq LIMIT 1',
    [consumer, aggregate],
  );
  return row?.message;
}

export async function unpark(tx: EntityManager, consumer: string, message: ReceivedMessage): Promise<void> {
  const { key, sequence } = placeOf(message);
  await tx.query('DELETE FROM parked WHERE consumer = $1 AND aggregate = $2 AND aggregate_seq = $3', [
    consumer,
    key,
    sequence,
  ]);
}

/** @returns aggregates that an operator wants to have tried again */
export async function replayRequests(tx: EntityManager, consumer: string): Promise<string[]> {
  const rows = await tx.query<{ aggregate: string }[]>(
    'SELECT DISTINCT aggregate FROM parked WHERE consumer = $1 AND replay_requested_at IS NOT NULL ORDER BY aggregate',
    [consumer],
  );
  return rows.map(({ aggregate }) => aggregate);
}

/** It failed again: the reason stands at its first message, and nobody waits for a replay any more. */
export async function refuseReplay(
  tx: EntityManager,
  consumer: string,
  aggregate: string,
  reason: string,
): Promise<void> {
  await tx.query('UPDATE parked SET replay_requested_at = NULL WHERE consumer = $1 AND aggregate = $2', [
    consumer,
    aggregate,
  ]);
  await tx.query(
    `UPDATE parked SET reason = $3 WHERE consumer = $1 AND aggregate = $2
       AND aggregate_seq = (SELECT min(aggregate_seq) FROM parked WHERE consumer = $1 AND aggregate = $2)`,
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

import type { EntityManager, QueryRunner } from 'typeorm';
import { LOOK_UP_BY_KEYS, queryPrepared } from '../../persistence';
import type { EventEnvelope } from '../cloud-events';

/**
 * The last number of each aggregate, its row locked until the end of the transaction. Known ones first, each set in
 * order: only two readers of one partition, which a rebalance leaves for a moment, could still wait for each other when
 * an aggregate is new, and then one of them is tried again.
 */
export async function lockPositions(
  tx: EntityManager,
  consumer: string,
  aggregates: readonly string[],
): Promise<Map<string, number>> {
  await tx.query(LOOK_UP_BY_KEYS);
  const positions = await lockKnown(tx, consumer, aggregates);
  const unknown = aggregates.filter((aggregate) => !positions.has(aggregate));
  if (unknown.length === 0) return positions;
  await queryPrepared(
    tx,
    `INSERT INTO inbox_positions (consumer, aggregate, last_seq)
     SELECT $1, aggregate, 0 FROM unnest($2::text[]) AS aggregate ORDER BY aggregate ON CONFLICT DO NOTHING`,
    [consumer, unknown],
  );
  // In a statement of its own, which sees what a transaction has written that the one before waited for.
  return new Map([...positions, ...(await lockKnown(tx, consumer, unknown))]);
}

async function lockKnown(
  tx: EntityManager,
  consumer: string,
  aggregates: readonly string[],
): Promise<Map<string, number>> {
  const rows = await queryPrepared<{ aggregate: string; last_seq: string }[]>(
    tx,
    `SELECT aggregate, last_seq FROM inbox_positions WHERE consumer = $1 AND aggregate = ANY($2::text[])
     ORDER BY aggregate FOR NO KEY UPDATE`,
    [consumer, aggregates],
  );
  return new Map(rows.map(({ aggregate, last_seq }) => [aggregate, Number(last_seq)]));
}

/**
 * Remembers events and how far each aggregate has come. Every position is there; as a conflict it is found by its key, where a
 * join would read those of all aggregates.
 * @returns ids of those that were not there before
 */
export async function insertSeen(
  tx: EntityManager,
  consumer: string,
  events: readonly EventEnvelope<unknown>[],
): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const positions = new Map(events.map(({ key, sequence }) => [key, sequence]));
  const rows = await queryPrepared<{ message_id: string }[]>(
    tx,
    `WITH moved AS (
       INSERT INTO inbox_positions (consumer, aggregate, last_seq)
       SELECT $1, aggregate, last_seq FROM unnest($3::text[], $4::bigint[]) AS n (aggregate, last_seq)
       ON CONFLICT (consumer, aggregate) DO UPDATE SET last_seq = excluded.last_seq
     )
     INSERT INTO inbox (message_id, consumer) SELECT message_id, $1 FROM unnest($2::text[]) AS message_id
     ON CONFLICT DO NOTHING RETURNING message_id`,
    [consumer, events.map(({ id }) => id), [...positions.keys()], [...positions.values()]],
  );
  return new Set(rows.map(({ message_id }) => message_id));
}

/** For the migration of an app that reads events. `consumer` is the name of its subscription. */
export async function createInbox(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE inbox (
      message_id text NOT NULL,
      consumer text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (message_id, consumer)
    )`);
  // Rows come in order of time: a few bytes find those to erase.
  await runner.query(`CREATE INDEX inbox_received_at ON inbox USING brin (received_at)`);
  await runner.query(`
    CREATE TABLE inbox_positions (
      consumer text NOT NULL,
      aggregate text NOT NULL,
      last_seq bigint NOT NULL,
      PRIMARY KEY (consumer, aggregate)
    ) WITH (fillfactor = 60)`);
  await runner.query(`
    CREATE TABLE parked (
      consumer text NOT NULL,
      aggregate text NOT NULL,
      aggregate_seq bigint NOT NULL,
      message_id text NOT NULL,
      message jsonb NOT NULL,
      reason text,
      parked_at timestamptz NOT NULL DEFAULT now(),
      replay_requested_at timestamptz,
      PRIMARY KEY (consumer, aggregate, aggregate_seq)
    )`);
}

export async function dropInbox(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE parked, inbox_positions, inbox');
}

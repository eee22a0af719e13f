import type { QueryRunner } from 'typeorm';

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

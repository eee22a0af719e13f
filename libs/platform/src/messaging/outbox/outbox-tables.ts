import type { QueryRunner } from 'typeorm';

/** The channel on which the database notifies the relay of new rows. */
export const OUTBOX_CHANNEL = 'outbox';

/** For the migration of an app: its outbox, and the last number of each aggregate. */
export async function createOutbox(runner: QueryRunner): Promise<void> {
  await createUnnumberedOutbox(runner);
  await runner.query(`
    CREATE TABLE outbox_numbers (
      aggregate text PRIMARY KEY,
      last_seq bigint NOT NULL
    ) WITH (fillfactor = 60)`);
}

/** The same for an app that numbers its events itself: also what wakes the relay, and the log of the in-process transport. */
export async function createUnnumberedOutbox(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE outbox (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id uuid NOT NULL UNIQUE,
      topic text NOT NULL,
      aggregate text NOT NULL,
      aggregate_seq bigint NOT NULL,
      type text NOT NULL,
      subject text NOT NULL,
      occurred_at timestamptz NOT NULL,
      payload jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      published_at timestamptz,
      attempts integer NOT NULL DEFAULT 0,
      traceparent text,
      UNIQUE (aggregate, aggregate_seq)
    )`);
  await runner.query(`CREATE INDEX outbox_unpublished ON outbox (seq) WHERE published_at IS NULL`);
  // Per statement, not per row: a batch of rows wakes the relay once, after its commit.
  await runner.query(`
    CREATE FUNCTION wake_outbox_relay() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NOTIFY ${OUTBOX_CHANNEL}; RETURN NULL; END $$`);
  await runner.query(`
    CREATE TRIGGER outbox_wakes_relay AFTER INSERT ON outbox
    FOR EACH STATEMENT EXECUTE FUNCTION wake_outbox_relay()`);
  await runner.query(`
    CREATE TABLE event_log (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      topic text NOT NULL,
      source text NOT NULL,
      outbox_id uuid UNIQUE,
      message jsonb,
      CHECK ((outbox_id IS NULL) <> (message IS NULL))
    )`);
  await runner.query(`CREATE INDEX event_log_topic ON event_log (topic, position)`);
  await runner.query(`
    CREATE TABLE event_log_readers (
      reader text NOT NULL,
      topic text NOT NULL,
      position bigint NOT NULL,
      PRIMARY KEY (reader, topic)
    )`);
}

export async function dropOutbox(runner: QueryRunner): Promise<void> {
  await dropUnnumberedOutbox(runner);
  await runner.query('DROP TABLE outbox_numbers');
}

export async function dropUnnumberedOutbox(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE event_log_readers, event_log, outbox');
  await runner.query('DROP FUNCTION wake_outbox_relay()');
}

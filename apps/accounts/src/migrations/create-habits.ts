import type { QueryRunner } from 'typeorm';

const PARTITIONS = 32;

/**
 * All that the engine reads of a log in one number, from the highest bits: days since 1970-01-01, status, completion in
 * ten-thousandths (14 bits), mood, energy and stress (4 bits each, 0 for none). Years of logs are read as one array of it.
 */
const PACKED = `
  ((local_date - '1970-01-01'::date)::bigint << 28)
  | (CASE status WHEN 'COMPLETED' THEN 1 WHEN 'PARTIAL' THEN 2 ELSE 3 END::bigint << 26)
  | ((completion_rate * 10000)::integer << 12)
  | (coalesce(mood_score, 0)::integer << 8) | (coalesce(energy_score, 0)::integer << 4) | coalesce(stress_score, 0)`;

/**
 * Habits and their logs. Logs are split by a hash of the user: every read has the user, none the month. `change_number` is
 * taken from the row of the user, under its lock: the order of commits. A log refers to its habit by user and id: so that a
 * deleted habit finds its logs in one partition.
 *
 * `client_id_given`: else `client_id` is the id of an operation, which its caller does not know. A log that never changed has no
 * `updated_at`: it is that of its creation. Question and interval are what a habit has in the app that it came from, so that a file for
 * that app has them again; a habit over the cap of the plan arrives archived at the instant of `archived_over_cap_at`.
 */
export async function createHabits(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE habits (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      client_id uuid,
      source_id text,
      name text NOT NULL,
      description text,
      category text,
      cadence text NOT NULL CHECK (cadence IN ('DAILY', 'WEEKLY', 'CUSTOM')),
      target_per_week smallint NOT NULL CHECK (target_per_week BETWEEN 1 AND 14),
      target_days_mask smallint NOT NULL CHECK (target_days_mask BETWEEN 0 AND 127),
      start_date timestamptz NOT NULL,
      start_day date NOT NULL,
      start_given boolean NOT NULL,
      archived_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      change_number bigint NOT NULL,
      client_id_given boolean NOT NULL DEFAULT true,
      sort_order integer,
      color text CHECK (color ~ '^#[0-9a-f]{6}$'),
      question text,
      interval_times smallint,
      interval_days smallint,
      archived_over_cap_at timestamptz,
      UNIQUE (user_id, client_id),
      UNIQUE (user_id, id)
    )`);
  await runner.query(`CREATE INDEX habits_of_user ON habits (user_id, created_at, id)`);
  await runner.query(`CREATE INDEX habits_by_change ON habits (user_id, change_number)`);
  await runner.query(`
    CREATE TABLE habit_logs (
      user_id uuid NOT NULL,
      id uuid NOT NULL,
      habit_id uuid NOT NULL,
      packed bigint NOT NULL GENERATED ALWAYS AS (${PACKED}) STORED,
      client_id uuid,
      source_id text,
      occurred_at timestamptz NOT NULL,
      local_date date NOT NULL,
      status text NOT NULL CHECK (status IN ('COMPLETED', 'SKIPPED', 'PARTIAL')),
      completion_rate numeric(5, 4) NOT NULL CHECK (completion_rate BETWEEN 0 AND 1),
      duration_minutes smallint CHECK (duration_minutes BETWEEN 0 AND 1440),
      mood_score smallint CHECK (mood_score BETWEEN 1 AND 10),
      energy_score smallint CHECK (energy_score BETWEEN 1 AND 10),
      stress_score smallint CHECK (stress_score BETWEEN 1 AND 10),
      context_tags text[] NOT NULL DEFAULT '{}',
      note text,
      created_at timestamptz NOT NULL,
      change_number bigint NOT NULL,
      client_id_given boolean NOT NULL DEFAULT true,
      updated_at timestamptz,
      PRIMARY KEY (user_id, id),
      UNIQUE (user_id, client_id),
      FOREIGN KEY (user_id, habit_id) REFERENCES habits (user_id, id) ON DELETE CASCADE
    ) PARTITION BY HASH (user_id)`);
  for (let part = 0; part < PARTITIONS; part++) {
    await runner.query(
      `CREATE TABLE habit_logs_${part} PARTITION OF habit_logs FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    );
  }
  await runner.query(`CREATE INDEX habit_logs_by_day ON habit_logs (user_id, habit_id, local_date)`);
  await runner.query(`CREATE INDEX habit_logs_by_time ON habit_logs (user_id, habit_id, occurred_at, id)`);
  await runner.query(`CREATE INDEX habit_logs_by_change ON habit_logs (user_id, change_number)`);
  await runner.query(`
    CREATE TABLE deletions (
      user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
      change_number bigint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('habit', 'log')),
      id uuid NOT NULL,
      client_id uuid,
      deleted_at timestamptz NOT NULL,
      client_id_given boolean NOT NULL DEFAULT true,
      PRIMARY KEY (user_id, change_number, id)
    )`);
  await runner.query(`CREATE INDEX deletions_by_client ON deletions (user_id, client_id) WHERE client_id IS NOT NULL`);
  await runner.query(`CREATE INDEX deletions_by_age ON deletions (deleted_at)`);
}

import { hash } from '@node-rs/argon2';
import type { Client } from 'pg';
import { connect } from '../events/connect';
import { DAY_MS, MADE_ID } from './seed';
import { refuseMissing } from './seed';

export interface PeopleOptions {
  people: number;
  /** Of each. */
  habits: number;
  /** Each habit has a log on each of so many local days, the last one included. */
  days: number;
  /** Of all of them. */
  password: string;
  /** Equal options make equal people. */
  seed: number;
  /** Last day, `YYYY-MM-DD`. */
  until: string;
}

export interface SeededPerson {
  id: string;
  email: string;
  /** The oldest of their habits. */
  habitId: string;
}

const TABLES = ['users', 'entitlements', 'habits', 'habit_logs'] as const;
/** As accounts has them. */
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const NAMES = 'Morning run,Read,Stretch,Call home,Water,Piano,Walk,Early night,Vegetables,Diary'.split(',');

/** What chance decides, by a key: the same for the same key. */
const DRAW = `
  CREATE FUNCTION pg_temp.draw(below integer, VARIADIC key text[]) RETURNS integer LANGUAGE sql IMMUTABLE
    RETURN ('x' || substr(md5(array_to_string(key, '/')), 1, 7))::bit(28)::integer % below`;

/** All of it in one statement: keys are checked at its end. */
const MAKE = `
  WITH people AS MATERIALIZED (
    SELECT number, pg_temp.made_id($1::timestamptz, $2::text, number::text) AS id,
      format('seed-%s@example.com', number) AS email
    FROM generate_series($3::integer, $4::integer) AS number
  ),
  made AS MATERIALIZED (
    SELECT people.id AS user_id, number, index, pg_temp.made_id($1, $2, number::text, 'habit', index::text) AS id,
      ($5::text[])[1 + index % 10] || CASE WHEN index < 10 THEN '' ELSE format(' %s', 1 + index / 10) END AS name,
      5 + pg_temp.draw(5, $2, number::text, 'tenths', index::text) AS tenths
    FROM people, generate_series(0, $6::integer - 1) AS index
  ),
  registered AS (
    INSERT INTO users (id, email, email_key, email_verified_at, password_hash, timezone, change_number, created_at)
    SELECT id, email, email, $1, $7, 'Europe/Madrid', $6 * (1 + $8::integer), $1 FROM people
  ),
  entitled AS (
    INSERT INTO entitlements (user_id, version, access_until, ever_premium, changed_at)
    SELECT id, 1, 'infinity', true, $1 FROM people
  ),
  begun AS (
    INSERT INTO habits (id, user_id, name, cadence, target_per_week, target_days_mask, start_date, start_day, start_given,
      created_at, updated_at, change_number)
    SELECT id, user_id, name, 'DAILY', 7, 127, $1, ($1 AT TIME ZONE 'UTC')::date, true, at, at, index + 1
    FROM made, LATERAL (SELECT $1 + index * interval '1 ms' AS at) AS moment
  ),
  drawn AS (
    SELECT made.*, day, key, $1 + make_interval(days => day, hours => 7, mins => pg_temp.draw(600, key, 'at')) AS at,
      CASE WHEN pg_temp.draw(10, key, 'done') < tenths THEN 2 ELSE pg_temp.draw(2, key, 'partial') END AS better
    FROM made, generate_series(0, $8 - 1) AS day, LATERAL (SELECT concat_ws('/', $2, number, index, day) AS key) AS keys
  )
  INSERT INTO habit_logs (id, habit_id, user_id, occurred_at, local_date, status, completion_rate, mood_score, energy_score,
    note, created_at, change_number)
  SELECT pg_temp.made_id($1 + make_interval(days => day), key), id, user_id, at, (at AT TIME ZONE 'UTC')::date,
    (ARRAY['SKIPPED', 'PARTIAL', 'COMPLETED'])[1 + better], better / 2.0,
    3 + pg_temp.draw(5, $2, number::text, 'mood', day::text) + better,
    CASE pg_temp.draw(2, key, 'energy') WHEN 0 THEN 1 + pg_temp.draw(10, key, 'score') END,
    CASE pg_temp.draw(20, key, 'note') WHEN 0 THEN 'as planned' END, at, $6 * (1 + day) + index + 1
  FROM drawn ORDER BY day, number, index`;

/**
 * Adds people to a database of accounts, behind those that were added before.
 * @throws Error with a sentence when the database is not one of accounts
 */
export async function seedPeople(url: string, options: PeopleOptions): Promise<SeededPerson[]> {
  const { people, habits, days, password, seed, until } = options;
  const client = await connect({ connectionString: url });
  try {
    const first = 1 + (await seededBefore(client));
    const begun = new Date(Date.parse(until) - Math.max(0, days - 1) * DAY_MS);
    const passwordHash = await hash(password.normalize('NFKC'), ARGON2);
    await client.query(MADE_ID);
    await client.query(DRAW);
    await client.query(MAKE, [begun, String(seed), first, first + people - 1, NAMES, habits, passwordHash, days]);
    for (const table of TABLES) await client.query(`VACUUM (ANALYZE) ${table}`);
    const { rows } = await client.query<SeededPerson>(
      `SELECT id, email, (SELECT id FROM habits WHERE user_id = users.id ORDER BY change_number LIMIT 1) AS "habitId"
       FROM users JOIN generate_series($1::integer, $2::integer) AS number ON email_key = format('seed-%s@example.com', number)
       ORDER BY number`,
      [first, first + people - 1],
    );
    return rows;
  } finally {
    await client.end();
  }
}

/** @returns how many there are already */
async function seededBefore(client: Client): Promise<number> {
  await refuseMissing(client, TABLES, 'accounts');
  const { rows } = await client.query<{ last: number }>(
    `SELECT coalesce(max(substring(email_key FROM '^seed-([0-9]{1,9})@example\\.com$')::integer), 0) AS last FROM users`,
  );
  return rows[0]!.last;
}

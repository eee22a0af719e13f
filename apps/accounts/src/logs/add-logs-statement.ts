import type { ArrivingLog } from './arriving-log';
import { MAX_LOGS_A_DAY } from './log-rules';
import { LOG_COLUMNS, type StoredLog } from './stored-log';
import { WRITABLE_HABITS } from './writable-habits';

/** What became of a log that arrived. */
export type Outcome = 'created' | 'existing' | 'deleted' | 'no_habit' | 'over_cap' | 'full_day';

/** With the stored log where that exists already. */
export type OutcomeRow = StoredLog & {
  index: number;
  outcome: Outcome;
  /** Active habits of the person; null when the habit of the log is not one of them. */
  active: number | null;
};

/** Logs as JSON, each with an index. */
const INPUT = `
  index integer, id uuid, "habitId" uuid, "clientId" uuid, "isNamed" boolean, "occurredAt" timestamptz, "localDate" date, status text,
  "completionRate" numeric, "durationMinutes" smallint, "moodScore" smallint, "energyScore" smallint,
  "stressScore" smallint, "contextTags" text[], note text, "createdAt" timestamptz`;

/** A log of somebody, with the cap on their active habits; null for none. */
export interface NewLog {
  userId: string;
  cap: number | null;
  log: ArrivingLog;
}

/**
 * Adds logs of any number of people in the usual case, and leaves out those of which `ADD_LOGS` has to say why, or which it adds
 * after all. The locks on the rows of the users give the numbers of the changes. Nobody is waited for: a user whose row is
 * locked is left out, and so is one whom somebody has changed since this statement began: what it counts is out of date then.
 * Logs are counted in the body of the statement, not in a sub-select: PostgreSQL 18 may crash there, because rows are locked.
 * `$1` the logs as JSON, each with index, user and cap. @returns the id of each that was added
 * @see docs/adr/0038-partitions-beside-locked-rows.md
 */
export const ADD_USUAL_LOGS = {
  name: 'add-usual-logs',
  text: `
    WITH
    input AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY "userId" ORDER BY index) AS nth,
        row_number() OVER (PARTITION BY "userId", "habitId", "localDate" ORDER BY index) AS "nthOfDay"
      FROM jsonb_to_recordset($1::jsonb) AS i ("userId" uuid, cap integer, ${INPUT})
    ),
    people AS MATERIALIZED (SELECT "userId" AS id, count(*) AS logs FROM input GROUP BY "userId"),
    before AS MATERIALIZED (SELECT u.id, u.change_number FROM users u JOIN people USING (id)),
    free AS MATERIALIZED (
      SELECT u.id, u.change_number FROM users u JOIN people USING (id) WHERE u.deleted_at IS NULL
      FOR NO KEY UPDATE OF u SKIP LOCKED
    ),
    locked AS (
      UPDATE users u SET change_number = u.change_number + p.logs
      FROM free f JOIN before b USING (id) JOIN people p USING (id)
      WHERE u.id = f.id AND f.change_number = b.change_number
      RETURNING u.id, b.change_number AS before
    )
    INSERT INTO habit_logs (user_id, id, habit_id, client_id, occurred_at, local_date, status, completion_rate,
      duration_minutes, mood_score, energy_score, stress_score, context_tags, note, created_at, change_number,
      client_id_given)
    SELECT u.id, i.id, h.id, "clientId", "occurredAt", "localDate", i.status, "completionRate", "durationMinutes",
      "moodScore", "energyScore", "stressScore", "contextTags", note, i."createdAt", u.before + nth, "isNamed"
    FROM input i JOIN locked u ON u.id = i."userId"
      JOIN habits h ON h.user_id = u.id AND h.id = i."habitId" AND h.archived_at IS NULL
      CROSS JOIN LATERAL (
        SELECT count(*) AS logs FROM habit_logs l
        WHERE l.user_id = u.id AND l.habit_id = h.id AND l.local_date = i."localDate"
      ) AS day
    WHERE (cap IS NULL OR (SELECT count(*) FROM habits a WHERE a.user_id = u.id AND a.archived_at IS NULL) <= cap)
      AND "nthOfDay" + day.logs <= ${MAX_LOGS_A_DAY}
      AND NOT EXISTS (SELECT FROM deletions d WHERE d.user_id = u.id AND d.client_id = "clientId" AND d.kind = 'log')
    ON CONFLICT (user_id, client_id) DO NOTHING
    RETURNING id`,
};

/** The value of `ADD_USUAL_LOGS`. */
export function inputOf(logs: readonly NewLog[]): string {
  return JSON.stringify(logs.map(({ userId, cap, log }, index) => Object.assign({ userId, cap }, rowOf(log, index))));
}

/** A log as the statements read it: an operation that names it takes the column of the `clientId`. */
export function rowOf(log: ArrivingLog, index: number): object {
  return Object.assign({ index }, log, { clientId: log.clientId ?? log.operationId, isNamed: log.clientId !== null });
}

/**
 * Adds logs, and says what became of each. The row of the user is locked: nothing that is counted here changes meanwhile.
 * `$1` user, `$2` cap of active habits, `$3` the logs as JSON, each with an index, `$4` how many: their numbers are the
 * last ones that were taken.
 */
export const ADD_LOGS = `
  WITH
  input AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($3::jsonb) AS i (${INPUT})
  ),
  habit AS (${WRITABLE_HABITS}),
  checked AS (
    SELECT i.*, h.active, h."isWritable",
      (SELECT l.id FROM habit_logs l WHERE l.user_id = $1 AND l.client_id = i."clientId") AS known,
      EXISTS (
        SELECT FROM deletions d WHERE d.user_id = $1 AND d.client_id = i."clientId" AND d.kind = 'log'
      ) AS "isDeleted",
      (
        SELECT count(*) FROM habit_logs l
        WHERE l.user_id = $1 AND l.habit_id = i."habitId" AND l.local_date = i."localDate"
      ) AS "thatDay"
    FROM input i LEFT JOIN habit h ON h.id = i."habitId"
  ),
  possible AS (
    SELECT *, CASE
      WHEN known IS NOT NULL THEN 'existing' WHEN "isDeleted" THEN 'deleted' WHEN active IS NULL THEN 'no_habit'
      WHEN NOT "isWritable" THEN 'over_cap' ELSE 'created'
    END AS outcome FROM checked
  ),
  decided AS (
    SELECT p.*, CASE
      WHEN outcome = 'created' AND
        "thatDay" + row_number() OVER (PARTITION BY "habitId", "localDate", outcome ORDER BY index) > ${MAX_LOGS_A_DAY}
      THEN 'full_day' ELSE outcome
    END AS decision FROM possible p
  ),
  inserted AS (
    INSERT INTO habit_logs (user_id, id, habit_id, client_id, occurred_at, local_date, status, completion_rate,
      duration_minutes, mood_score, energy_score, stress_score, context_tags, note, created_at, change_number,
      client_id_given)
    SELECT $1, id, "habitId", "clientId", "occurredAt", "localDate", status, "completionRate", "durationMinutes",
      "moodScore", "energyScore", "stressScore", "contextTags", note, "createdAt",
      (SELECT change_number - $4::integer + 1 FROM users WHERE id = $1) + index, "isNamed"
    FROM decided WHERE decision = 'created'
  )
  SELECT d.index, d.decision AS outcome, d.active, ${LOG_COLUMNS}
  FROM decided d LEFT JOIN habit_logs l ON l.user_id = $1 AND l.id = d.known`;

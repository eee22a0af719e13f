import { isDeepStrictEqual } from 'node:util';
import { Clock, type DomainError } from '@evenkeel/kernel';
import { LOOK_UP_BY_KEYS, queryPrepared } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { limitsAt, QuotaExceeded } from '../entitlements/plan-refusals';
import { countHabits, WRITABLE_HABITS, ClientIdConflict, HabitNotFound } from '../habits/habit-rules';
import type { AccountUser } from '../users/account-user';
import { takeChangeNumbers } from '../users/lock-user';
import {
  type ArrivingLog,
  LogNotFound,
  FULL_ACCOUNT,
  FULL_DAY,
  roomForLogs,
  tooManyLogs,
  MAX_LOGS_A_DAY,
  LogView,
  type StoredLog,
  LOG_COLUMNS,
} from './stored-log';
import { transactionInTurn } from '../users/turn-of-user';

/** The outcome for a log that arrived, with the stored log where that exists already. */
type OutcomeRow = StoredLog & {
  index: number;
  outcome: 'created' | 'existing' | 'deleted' | 'no_habit' | 'over_cap' | 'full_day' | 'full_account';
  /** Active habits of the person; null when the habit of the log is not one of them. */
  active: number | null;
};

/** Logs as JSON, each with an index. */
const INPUT = `
  index integer, id uuid, "habitId" uuid, "clientId" uuid, "isNamed" boolean, "occurredAt" timestamptz, "localDate" date, status text,
  "completionRate" numeric, "durationMinutes" smallint, "moodScore" smallint, "energyScore" smallint,
  "stressScore" smallint, "contextTags" text[], note text, "createdAt" timestamptz`;

/** A log as the statement reads it: an operation that names it takes the column of the `clientId`. */
function rowOf(log: ArrivingLog, index: number): object {
  return Object.assign({ index }, log, { clientId: log.clientId ?? log.operationId, isNamed: log.clientId !== null });
}

/**
 * Adds logs, and says what became of each. The row of the user is locked: nothing that is counted here changes meanwhile.
 * `$1` user, `$2` cap of active habits, `$3` the logs as JSON, each with an index, `$4` how many: their numbers are the
 * last ones that were taken; `$5` how many more the person may have (null: all of these).
 */
const ADD_LOGS = `
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
      WHEN outcome = 'created' AND row_number() OVER (PARTITION BY outcome ORDER BY index) > $5::integer
      THEN 'full_account'
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

/**
 * The outcome for a log. `existing`: its `clientId` is known, this is the stored one. Rejected because something else
 * is stored: that too.
 */
export type AddedLog =
  { status: 'created' | 'existing'; log: StoredLog } | { status: 'rejected'; error: DomainError; stored?: StoredLog };

/** Stores logs of one person in one transaction. One that cannot be stored rejects itself alone. */
@Injectable()
export class AddLogs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @returns what became of each, in their order */
  async execute(user: AccountUser, logs: readonly ArrivingLog[]): Promise<AddedLog[]> {
    const firsts = firstOfEachClientId(logs);
    const distinct = [...new Set(firsts)];
    const added = new Map<ArrivingLog, AddedLog>();
    const { rows, cap } = await this.write(user, distinct);
    for (const row of rows) {
      const log = distinct[row.index]!;
      added.set(log, addedLog(log, row, cap));
    }
    return firsts.map((first, index) => {
      const result = added.get(first)!;
      return first === logs[index] ? result : repeated(logs[index]!, result);
    });
  }

  private async write(user: AccountUser, logs: ArrivingLog[]): Promise<{ rows: OutcomeRow[]; cap: number | null }> {
    if (logs.length === 0) return { rows: [], cap: null };
    return transactionInTurn(this.dataSource, user.userId, async (tx) => {
      await tx.query(LOOK_UP_BY_KEYS);
      const last = (await takeChangeNumbers(tx, user, logs.length)) + logs.length - 1;
      const room = await roomForLogs(tx, user.userId, last);
      const { accessUntil } = await countHabits(tx, user.userId);
      const cap = limitsAt(accessUntil, this.clock.now()).maxHabits;
      const values = [user.userId, cap, JSON.stringify(logs.map(rowOf)), logs.length, room];
      return { rows: await queryPrepared<OutcomeRow[]>(tx, ADD_LOGS, values), cap };
    });
  }
}

/** For each log the first one with its `clientId`: a later one of the same batch repeats it. */
function firstOfEachClientId(logs: readonly ArrivingLog[]): ArrivingLog[] {
  const firsts = new Map<string, ArrivingLog>();
  return logs.map((log) => {
    if (log.clientId === null) return log;
    const first = firsts.get(log.clientId) ?? log;
    firsts.set(log.clientId, first);
    return first;
  });
}

/** Of a log whose `clientId` came before in the same batch. */
function repeated(log: ArrivingLog, first: AddedLog): AddedLog {
  if (first.status !== 'rejected') return known(log, first.log);
  return first.stored ? known(log, first.stored) : first;
}

/** Of a log whose `clientId` is stored. */
function known(log: ArrivingLog, stored: StoredLog): AddedLog {
  const sent = contentOf(log);
  if (isDeepStrictEqual(sent, contentOf(stored))) return { status: 'existing', log: stored };
  const error = new ClientIdConflict(LogView.of(stored), { clientId: log.clientId, ...sent });
  return { status: 'rejected', error, stored };
}

/** The members of a log that a request states. */
const CONTENT = [
  'habitId',
  'status',
  'completionRate',
  'durationMinutes',
  'moodScore',
  'energyScore',
  'stressScore',
  'contextTags',
  'note',
] as const;

function contentOf(log: StoredLog): object {
  const members = Object.fromEntries(CONTENT.map((member) => [member, log[member]]));
  return { ...members, occurredAt: log.occurredAt.toISOString() };
}

function addedLog(
  log: ArrivingLog,
  { index: _, outcome, active, ...stored }: OutcomeRow,
  cap: number | null,
): AddedLog {
  const rejected = (error: DomainError): AddedLog => ({ status: 'rejected', error });
  switch (outcome) {
    case 'created':
      return { status: 'created', log };
    case 'existing':
      return log.clientId === null ? { status: 'created', log: stored } : known(log, stored);
    case 'deleted':
      return rejected(new LogNotFound());
    case 'no_habit':
      return rejected(new HabitNotFound());
    case 'over_cap':
      return rejected(QuotaExceeded.ofHabits(active ?? 0, cap ?? 0));
    case 'full_day':
      return rejected(tooManyLogs(FULL_DAY));
    case 'full_account':
      return rejected(tooManyLogs(FULL_ACCOUNT));
  }
}

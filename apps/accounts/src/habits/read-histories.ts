import type { PackedHistory } from '@evenkeel/scoring';
import type { EntityManager } from 'typeorm';
import { DAYS_OF_LOGS, inBase64, packedLogs, packYears, unpacked, yearOf } from './pack-years';
import { HABIT_COLUMNS, termsOf, type StoredHabit } from './stored-habit';

export const HABIT_STATUSES = ['active', 'archived', 'all'] as const;
export type HabitStatus = (typeof HABIT_STATUSES)[number];

/** Which habits of a user. */
export interface WantedHabits {
  /** `active` unless given. */
  status?: HabitStatus;
  /** Only these, of the status: those that are missing or somebody else's are left out. */
  ids?: readonly string[];
}

/** A habit with all its logs, as the engine takes them. */
export interface HabitWithHistory {
  habit: StoredHabit;
  history: PackedHistory;
  /** Newest `occurredAt`; null without logs. */
  lastLogAt: Date | null;
}

type HistoryRow = StoredHabit & {
  lastLogAt: Date | null;
  logs: string;
  /** Whether a past year of it is not packed: then `logs` lacks it. */
  isPartial: boolean;
};

/**
 * One row a habit: the packed years before that of its newest log, then the logs of that year; all from the logs when $4.
 * @see docs/adr/0023-past-years-are-packed.md
 */
const READ = `
  SELECT ${HABIT_COLUMNS}, newest.at AS "lastLogAt", ${inBase64('past.logs || present.logs')} AS logs,
    NOT $4 AND past.years < ${yearOf('days.last')} - ${yearOf('days.first')} AS "isPartial"
  FROM habits h
  CROSS JOIN LATERAL (${DAYS_OF_LOGS}) AS days
  CROSS JOIN LATERAL (
    SELECT max(occurred_at) AS at FROM habit_logs WHERE user_id = $1 AND habit_id = h.id
  ) AS newest
  CROSS JOIN LATERAL (
    SELECT coalesce(string_agg(logs, ''::bytea ORDER BY year), ''::bytea) AS logs, count(*) AS years
    FROM packed_years WHERE habit_id = h.id AND NOT $4
      AND year >= ${yearOf('days.first')} AND year < ${yearOf('days.last')}
  ) AS past
  CROSS JOIN LATERAL (${packedLogs(
    `user_id = $1 AND habit_id = h.id AND local_date >= CASE WHEN $4 THEN days.first ELSE date_trunc('year', days.last)::date END`,
  )}) AS present
  WHERE h.user_id = $1 AND ($2::uuid[] IS NULL OR h.id = ANY ($2))
    AND CASE $3 WHEN 'active' THEN h.archived_at IS NULL WHEN 'archived' THEN h.archived_at IS NOT NULL ELSE true END
  ORDER BY h.created_at, h.id`;

/**
 * The habits of a user with their whole histories, oldest first, by one statement: one state of the database. What of past
 * years is not packed yet is packed first.
 * @param runner a data source, or a transaction that must see its own changes
 */
export async function readHistories(
  runner: Pick<EntityManager, 'query' | 'transaction'>,
  userId: string,
  { status = 'active', ids }: WantedHabits = {},
): Promise<HabitWithHistory[]> {
  const read = (fromLogs: boolean) => runner.query<HistoryRow[]>(READ, [userId, ids ?? null, status, fromLogs]);
  const partialOnes = (of: HistoryRow[]) => of.filter(({ isPartial }) => isPartial).map(({ id }) => id);
  let rows = await read(false);
  const partial = partialOnes(rows);
  if (partial.length > 0) {
    await packYears(runner, userId, partial);
    rows = await read(false);
    if (partialOnes(rows).length > 0) rows = await read(true);
  }
  return rows.map(({ lastLogAt, logs, isPartial: _, ...habit }) => {
    // Own members first (docs/adr/0037).
    return { habit, history: { packed: unpacked(logs), ...termsOf(habit) }, lastLogAt };
  });
}

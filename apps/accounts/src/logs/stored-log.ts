import type { LogStatus } from '@evenkeel/scoring';

export const LOG_STATUSES = ['COMPLETED', 'SKIPPED', 'PARTIAL'] as const satisfies readonly LogStatus[];

/** A row of `habit_logs`. */
export interface StoredLog {
  id: string;
  /** Unique for the user: what a device calls it. Null where none has named it. */
  clientId: string | null;
  habitId: string;
  occurredAt: Date;
  /** YYYY-MM-DD where the person was, as it was when the log arrived. */
  localDate: string;
  status: LogStatus;
  /** 0 to 1, four decimals. */
  completionRate: number;
  durationMinutes: number | null;
  moodScore: number | null;
  energyScore: number | null;
  stressScore: number | null;
  contextTags: string[];
  /** For its owner alone: no event, log or metric has it. */
  note: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Columns of `habit_logs` as a `StoredLog`; `l` in FROM. */
export const LOG_COLUMNS = `
  l.id, CASE WHEN l.client_id_given THEN l.client_id END AS "clientId", l.habit_id AS "habitId", l.occurred_at AS "occurredAt", l.local_date::text AS "localDate", l.status,
  l.completion_rate::float8 AS "completionRate", l.duration_minutes AS "durationMinutes", l.mood_score AS "moodScore",
  l.energy_score AS "energyScore", l.stress_score AS "stressScore", l.context_tags AS "contextTags", l.note,
  l.created_at AS "createdAt", coalesce(l.updated_at, l.created_at) AS "updatedAt"`;

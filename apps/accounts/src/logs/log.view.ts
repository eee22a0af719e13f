import type { LogStatus } from '@evenkeel/scoring';
import { ApiProperty } from '@nestjs/swagger';

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

/** A log as every answer shows it, to its owner. */
export class LogView {
  /** As it stands in the OpenAPI document. */
  static readonly example: LogView = {
    ...{ id: '0194b3c8-2a10-7f4e-8a51-90c1d2e3f405', clientId: 'a3c1f0de-7c52-4a0f-9a3e-52b0a1d6c1aa' },
    habitId: '0194a1d0-5f6e-7c1a-9b3e-2f4d5a6b7c8d',
    ...{ occurredAt: '2026-01-31T06:40:00.000Z', localDate: '2026-01-31', status: 'COMPLETED', completionRate: 1 },
    ...{ durationMinutes: 32, moodScore: 8, energyScore: 7, stressScore: null, contextTags: ['park'], note: null },
    ...{ createdAt: '2026-01-31T06:41:00.000Z', updatedAt: '2026-01-31T06:41:00.000Z' },
  };

  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ nullable: true, type: String, format: 'uuid', description: 'yours, as you sent it' })
  clientId!: string | null;
  @ApiProperty({ format: 'uuid' }) habitId!: string;
  @ApiProperty({ format: 'date-time' }) occurredAt!: string;
  @ApiProperty({ format: 'date', description: 'the day it counts for, decided when it arrived' }) localDate!: string;
  @ApiProperty({ enum: LOG_STATUSES }) status!: LogStatus;
  @ApiProperty({ minimum: 0, maximum: 1 }) completionRate!: number;
  @ApiProperty({ nullable: true, type: 'integer' }) durationMinutes!: number | null;
  @ApiProperty({ nullable: true, type: 'integer' }) moodScore!: number | null;
  @ApiProperty({ nullable: true, type: 'integer' }) energyScore!: number | null;
  @ApiProperty({ nullable: true, type: 'integer' }) stressScore!: number | null;
  @ApiProperty({ type: [String] }) contextTags!: string[];
  @ApiProperty({ nullable: true, type: String }) note!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;

  /** Member by member: each one behind a spread takes V8 a microsecond, and every log passes here. */
  static of(log: StoredLog): LogView {
    return {
      id: log.id,
      clientId: log.clientId,
      habitId: log.habitId,
      occurredAt: log.occurredAt.toISOString(),
      localDate: log.localDate,
      status: log.status,
      completionRate: log.completionRate,
      durationMinutes: log.durationMinutes,
      moodScore: log.moodScore,
      energyScore: log.energyScore,
      stressScore: log.stressScore,
      contextTags: log.contextTags,
      note: log.note,
      createdAt: log.createdAt.toISOString(),
      updatedAt: log.updatedAt.toISOString(),
    };
  }
}

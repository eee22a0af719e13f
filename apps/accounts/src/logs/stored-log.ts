import type { LogStatus } from '@evenkeel/scoring';
import { ApiProperty } from '@nestjs/swagger';
import { DomainError, uuidv7 } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import { localDayOf, type DayRule } from '../habits/habit-rules';
import type { EntityManager } from 'typeorm';
import type { LogBody } from './log.dto';

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

/**
 * Columns of `habit_logs` as a `StoredLog`; `l` in FROM. Logs have no entity: their statements also count, join and page.
 */
export const LOG_COLUMNS = `
  l.id, CASE WHEN l.client_id_given THEN l.client_id END AS "clientId", l.habit_id AS "habitId", l.occurred_at AS "occurredAt", l.local_date::text AS "localDate", l.status,
  l.completion_rate::float8 AS "completionRate", l.duration_minutes AS "durationMinutes", l.mood_score AS "moodScore",
  l.energy_score AS "energyScore", l.stress_score AS "stressScore", l.context_tags AS "contextTags", l.note,
  l.created_at AS "createdAt", coalesce(l.updated_at, l.created_at) AS "updatedAt"`;

/** A log as every answer shows it, to its owner. */
export class LogView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ nullable: true, type: String, format: 'uuid', description: 'yours, as you sent it' })
  clientId!: string | null;
  @ApiProperty({ format: 'uuid' }) habitId!: string;
  @ApiProperty({ format: 'date-time' }) occurredAt!: string;
  @ApiProperty({ format: 'date', description: 'its local day, fixed when it arrived' }) localDate!: string;
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

/** A log to be stored, with the names that callers have for it. */
export interface ArrivingLog extends StoredLog {
  /** Of a request that may come again, where no device has named it. */
  operationId: string | null;
}

/** The circumstances of a log, beside its body. */
export interface Arrival {
  rule: DayRule;
  now: Date;
  /** Of a request that may come again. */
  operationId?: string;
}

/**
 * A log as it is stored: its local date is decided here, once, by the profile as it is now.
 * @throws ValidationFailed
 */
export function arrivingLog(body: LogBody, habitId: string, { rule, now, operationId }: Arrival): ArrivingLog {
  const { occurredAt, status, contextTags = [] } = body;
  // Member by member, as in `LogView`.
  return {
    id: uuidv7(now),
    // Letters of a UUID may be large or small; stored ones are small.
    clientId: body.clientId?.toLowerCase() ?? null,
    operationId: operationId ?? null,
    habitId: habitId.toLowerCase(),
    occurredAt: instantOf(occurredAt, now),
    localDate: localDayOf(occurredAt, rule),
    status,
    completionRate: completionRateOf(status, body.completionRate),
    durationMinutes: body.durationMinutes ?? null,
    moodScore: body.moodScore ?? null,
    energyScore: body.energyScore ?? null,
    stressScore: body.stressScore ?? null,
    contextTags,
    note: body.note ?? null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Also when it is somebody else's: nobody learns what exists. */
export class LogNotFound extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'not_found';
  constructor() {
    super('There is no such log.');
  }
}

/** Of one habit on one local date. */
export const MAX_LOGS_A_DAY = 50;

/** Of one person: as many as a file may bring, so that an export comes back whole. Answers read all of them at once. */
export const MAX_LOGS = 100_000;

export function tooManyLogs(most: string): ValidationFailed {
  return new ValidationFailed([{ path: '', code: 'too_many_items', message: `would be more than the ${most}` }]);
}

export const FULL_DAY = `${MAX_LOGS_A_DAY} logs that a habit may have on one day`;
export const FULL_ACCOUNT = `${MAX_LOGS.toLocaleString('en')} logs that one person may have`;

/**
 * How many more logs a person may have.
 * @param tx has locked the row of the user
 * @param lastNumber the greatest of their change numbers, those of the new logs included: while it is small, nothing is counted
 * @returns null for as many as have numbers
 */
export async function roomForLogs(
  tx: Pick<EntityManager, 'query'>,
  userId: string,
  lastNumber: number,
): Promise<number | null> {
  if (lastNumber <= MAX_LOGS) return null;
  const [row] = await tx.query<[{ logs: number }]>(
    'SELECT count(*)::integer AS logs FROM habit_logs WHERE user_id = $1',
    [userId],
  );
  return Math.max(0, MAX_LOGS - row.logs);
}

const EARLIEST = Date.UTC(2000, 0, 1);
/** Somewhere it is already tomorrow. */
const AHEAD_MS = 14 * 3_600_000;

/** As places on earth have them: another one makes a day that is nowhere. */
const OFFSET = /([+-])(\d\d):(\d\d)$/;
const WESTMOST_MINUTES = -12 * 60;
const EASTMOST_MINUTES = 14 * 60;

function outOfRange(message: string): ValidationFailed {
  return new ValidationFailed([{ path: '/occurredAt', code: 'out_of_range', message }]);
}

/** @throws ValidationFailed for a time that no log can have */
export function instantOf(occurredAt: string, now: Date): Date {
  const [, sign, hours, minutes] = OFFSET.exec(occurredAt) ?? [];
  const offset = Number(`${sign ?? ''}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  if (offset < WESTMOST_MINUTES || offset > EASTMOST_MINUTES) {
    throw outOfRange('must have an offset from -12:00 to +14:00');
  }
  const instant = new Date(occurredAt);
  const ms = instant.getTime();
  if (ms >= EARLIEST && ms <= now.getTime() + AHEAD_MS) return instant;
  throw outOfRange('must be from 2000, and at most 14 hours in the future');
}

const USUAL_RATES: Readonly<Record<LogStatus, number>> = { COMPLETED: 1, PARTIAL: 0.5, SKIPPED: 0 };

/**
 * How much was done, as it is stored: four decimals.
 * @param given undefined or null: what is usual for the status
 * @throws ValidationFailed when it contradicts the status
 */
export function completionRateOf(status: LogStatus, given: number | null | undefined): number {
  const usual = USUAL_RATES[status];
  const rate = given ?? usual;
  if (status !== 'PARTIAL' && rate !== usual) {
    const message = `must be ${usual} or absent when status is ${status}`;
    throw new ValidationFailed([{ path: '/completionRate', code: 'conflict', message }]);
  }
  return Math.round(rate * 10_000) / 10_000;
}

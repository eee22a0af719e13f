import { uuidv7 } from '@evenkeel/kernel';
import { localDayOf, type DayRule } from '../habits/local-day';
import type { LogBody } from './log.dto';
import { completionRateOf, instantOf } from './log-rules';
import type { StoredLog } from './stored-log';

/** A log to be stored, with the names that callers have for it. */
export interface ArrivingLog extends StoredLog {
  /** Of a request that may come again, where no device has named it. */
  operationId: string | null;
}

/** What a log depends on, beside what was sent. */
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

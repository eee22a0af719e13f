import { uuidv7 } from '@evenkeel/kernel';
import { localDayOf, type DayRule } from '../habits/local-day';
import type { LogBody } from './log.dto';
import { completionRateOf, instantOf } from './log-rules';
import type { StoredLog } from './stored-log';

/** A log to be stored, with the names that callers have for it. */
export interface ArrivingLog extends StoredLog {
  /** Unique for the user: what a device calls it, or the id of the operation that creates it. */
  clientId: string | null;
  /** Whether a known `clientId` is a repetition, and not this very operation begun again. */
  isNamed: boolean;
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
  // Letters of a UUID may be large or small; stored ones are small.
  const clientId = body.clientId?.toLowerCase() ?? operationId ?? null;
  // Member by member, as in `LogView`.
  return {
    id: uuidv7(now),
    habitId: habitId.toLowerCase(),
    clientId,
    isNamed: body.clientId !== undefined,
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
  };
}

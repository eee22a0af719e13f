import { dayNumber } from './civil-days';
import type { HabitHistory, HabitLog } from './habit-history';
import { type Schedule, scheduleOf } from './schedule';

/** A log with its date as a day number. */
export interface ReadLog {
  readonly day: number;
  readonly log: HabitLog;
}

/**
 * Reads the dates and drops repetitions of the same log (equal in every member), which would count its scores twice.
 * Targets above 7 a week keep them: there a day may hold two equal sessions.
 */
export function readLogs(habit: HabitHistory): ReadLog[] {
  const keepsEqualOnes = scheduleOf(habit).target > 7;
  const seen = new Set<string>();
  const read: ReadLog[] = [];
  for (const log of habit.logs) {
    const content = contentOf(log);
    if (seen.has(content) && !keepsEqualOnes) continue;
    seen.add(content);
    read.push({ day: dayNumber(log.localDate), log });
  }
  return read;
}

/** A member that is null says what an absent one says: nothing. */
function contentOf({ localDate, status, completionRate, moodScore, energyScore, stressScore }: HabitLog): string {
  return [localDate, status, completionRate, moodScore, energyScore, stressScore].join(' ');
}

export const NOTHING = 0;
export const SKIPPED = 1;
const WORKED = 2;

/** What the logs say of each day, from the start of a habit to the evaluation day. */
export interface DayBook {
  readonly start: number;
  readonly today: number;
  /** 0 to 1 a day, or to `ceil(target / 7)` for targets above 7 a week. */
  readonly completion: Float64Array;
  /** NOTHING, SKIPPED (no other log that day) or WORKED (COMPLETED or PARTIAL, whatever the completion). */
  readonly entry: Uint8Array;
}

/** Days before the start are not scheduled, so work on them earns nothing; logs after `today` are not read. */
export function dayBook(logs: readonly ReadLog[], schedule: Schedule, start: number, today: number): DayBook {
  const length = Math.max(0, today - start + 1);
  const completion = new Float64Array(length);
  const entry = new Uint8Array(length);
  const several = schedule.target > 7;
  for (const { day, log } of several ? byCompletionDescending(logs) : logs) {
    const at = day - start;
    if (at < 0 || at >= length) continue;
    if (log.status === 'SKIPPED') {
      entry[at] = Math.max(entry[at]!, SKIPPED);
      continue;
    }
    entry[at] = WORKED;
    const earned = several ? completion[at]! + completionOfLog(log) : Math.max(completion[at]!, completionOfLog(log));
    completion[at] = Math.min(earned, Math.ceil(schedule.target / 7));
  }
  return { start, today, completion, entry };
}

/** COMPLETED 1; PARTIAL its rate, or 0.5; SKIPPED 0. */
function completionOfLog(log: HabitLog): number {
  if (log.status === 'COMPLETED') return 1;
  return log.status === 'PARTIAL' ? (log.completionRate ?? 0.5) : 0;
}

/** Floating-point sums depend on the order of their terms: this one does not depend on the order of the logs. */
function byCompletionDescending(logs: readonly ReadLog[]): ReadLog[] {
  return [...logs].sort((a, b) => completionOfLog(b.log) - completionOfLog(a.log));
}

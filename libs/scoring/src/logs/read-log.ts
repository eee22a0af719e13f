import { dayNumber } from './civil-days';
import type { HabitHistory, HabitLog } from './habit-history';
import { scheduleOf } from './schedule';

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

import type { Entry, HabitFacts } from './collected-habits';
import { kindOf, targetPerWeek } from './frequency';

/** A habit as Loop Habit Tracker keeps it. */
export interface LoopHabit {
  readonly name: string;
  readonly times: number;
  readonly days: number;
  readonly numerical: boolean;
  readonly atMost: boolean;
  readonly target: number;
  readonly archived: boolean;
}

export function factsOf({ name, times, days, archived }: LoopHabit): HabitFacts {
  const frequency = { times, days };
  return { name, kind: kindOf(frequency), frequency, schedule: { targetPerWeek: targetPerWeek(frequency) }, archived };
}

export function isFrequency(times: number, days: number): boolean {
  const isCount = (count: number) => Number.isInteger(count) && count >= 1 && count <= 1_000;
  return isCount(times) && isCount(days);
}

/** 2 done by hand, 1 done by the frequency (so nothing was done that day), 0 no, 3 skipped, -1 unknown. */
export function entryOfMark(value: number): Entry | undefined {
  if (value === 2) return { status: 'COMPLETED' };
  if (value === 3) return { status: 'SKIPPED' };
  if (value === 0) return 'nothing';
  return value === 1 || value === -1 ? 'unknown' : undefined;
}

/** @param value the number times 1000; -1 is unknown */
export function entryOfNumber(value: number, { atMost, target }: LoopHabit): Entry | undefined {
  if (value === -1) return 'unknown';
  if (!Number.isFinite(value) || value < 0) return undefined;
  const number = value / 1_000;
  const reached = atMost ? number <= target : number >= target;
  if (reached) return { status: 'COMPLETED' };
  return { status: 'PARTIAL', completionRate: atMost ? target / number : number / target };
}

import { weekdayOf } from './civil-days';
import type { HabitTerms } from './habit-history';

/** When a habit is due: on fixed weekdays, each an occasion, or a number of times on any days of a week, one occasion. */
export interface Schedule {
  readonly unit: 'day' | 'week';
  /** Weekdays on which work counts, bit 0 Monday; all for week-type habits. */
  readonly mask: number;
  /** Sessions a week that meet the target, 1 to 14. */
  readonly target: number;
}

const EVERY_DAY = 0b1111111;

/**
 * A mask makes the schedule. Without one: the target, or 1 for WEEKLY, else 7; a target of 7 is every day.
 */
export function scheduleOf(habit: Pick<HabitTerms, 'cadence' | 'targetPerWeek' | 'targetDaysMask'>): Schedule {
  const mask = (habit.targetDaysMask ?? 0) & EVERY_DAY;
  if (mask !== 0) return { unit: 'day', mask, target: bitCount(mask) };
  const target = habit.targetPerWeek ?? (habit.cadence === 'WEEKLY' ? 1 : 7);
  return { unit: target === 7 ? 'day' : 'week', mask: EVERY_DAY, target };
}

/** Whether work on that day counts. */
export function isDue({ mask }: Schedule, day: number): boolean {
  return (mask & (1 << weekdayOf(day))) !== 0;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

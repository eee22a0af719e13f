import { civilDate, dayNumber, type HabitLog, type WeekStart } from '@evenkeel/scoring';
import fc from 'fast-check';
import type { Habit } from '../reading/habits-to-walk';

export const FIRST_DAY = dayNumber('2025-03-05');

const ENTRIES: Readonly<Record<string, Omit<HabitLog, 'localDate'>[]>> = {
  d: [{ status: 'COMPLETED' }],
  h: [{ status: 'PARTIAL' }],
  q: [{ status: 'PARTIAL', completionRate: 0.3 }],
  s: [{ status: 'SKIPPED' }],
  b: [{ status: 'SKIPPED' }, { status: 'COMPLETED' }],
  '.': [],
};
const SCHEDULES = [
  { times: 1, days: 1, schedule: {} },
  { times: 3, days: 7, schedule: { targetDaysMask: 21 } },
  { times: 1, days: 7, schedule: { cadence: 'WEEKLY' as const } },
  { times: 3, days: 7, schedule: { targetPerWeek: 3 } },
  { times: 1, days: 10, schedule: { targetPerWeek: 1 } },
  { times: 10, days: 7, schedule: { targetPerWeek: 10 } },
];

/** A habit by letters, a day each. */
export function habitOf(letters: string, { times, days, schedule } = SCHEDULES[0]!): Habit {
  const logs = [...letters].flatMap((letter, at) =>
    ENTRIES[letter]!.map((entry) => ({ localDate: civilDate(FIRST_DAY + at), ...entry })),
  );
  return {
    name: 'Run',
    kind: 'a kind',
    frequency: { times, days },
    history: { name: 'Run', startDate: civilDate(FIRST_DAY), ...schedule, logs },
    lastDay: FIRST_DAY + letters.length - 1,
  };
}

export function lettersOf(length: { min: number; max: number }): fc.Arbitrary<string> {
  const letters = fc.constantFrom(...Object.keys(ENTRIES), 'd', 'd', '.');
  return fc.array(letters, { minLength: length.min, maxLength: length.max }).map((all) => all.join(''));
}

export const aSchedule = fc.constantFrom(...SCHEDULES);
export const aWeekStart = fc.constantFrom<WeekStart>('MONDAY', 'SUNDAY', 'SATURDAY');

import fc from 'fast-check';
import type { ScoredHabit } from '../habits/scored-habit';
import { civilDate, dayNumber, type WeekStart } from '../logs/civil-days';
import { dayBook, scheduleOf } from '../logs/day-book';
import { scoreHistory } from '../logs/evaluate-histories';
import { type HabitHistory, type HabitLog, readLogs } from '../logs/habit-history';
import { habitRecord, type HabitRecord, viewpointOf } from '../logs/habit-record';
import { type Occasion, occasionsOf } from '../logs/occasions';

/** The logs of one day, by letter. */
const ENTRIES: Readonly<Record<string, readonly Omit<HabitLog, 'localDate'>[]>> = {
  '.': [],
  d: [{ status: 'COMPLETED' }],
  p: [{ status: 'PARTIAL' }],
  q: [{ status: 'PARTIAL', completionRate: 0.3 }],
  r: [{ status: 'PARTIAL', completionRate: 0.7 }],
  z: [{ status: 'PARTIAL', completionRate: 0 }],
  s: [{ status: 'SKIPPED' }],
  S: [{ status: 'SKIPPED' }, { status: 'SKIPPED', moodScore: 2 }],
  b: [{ status: 'SKIPPED' }, { status: 'COMPLETED' }],
  c: [
    { status: 'COMPLETED', completionRate: 1 },
    { status: 'COMPLETED', moodScore: 9 },
  ],
  t: [
    { status: 'PARTIAL', completionRate: 0.3 },
    { status: 'PARTIAL', completionRate: 0.2 },
  ],
  u: [{ status: 'SKIPPED' }, { status: 'PARTIAL', completionRate: 0 }],
};

/** Kinds of people: who does most of it, who skips, who logs everything, who begins and stops. */
const TEMPERS = ['ddddd.d.', 'd.s', 'dds', 's.', '.', 'dpqrzsSbctu.', 'dddd.S', 'cbt.', 'd', 'qt.', 'ss.d.'];

const SCHEDULES: readonly Pick<HabitHistory, 'cadence' | 'targetPerWeek' | 'targetDaysMask'>[] = [
  {},
  { cadence: 'DAILY', targetDaysMask: 127, targetPerWeek: 7 },
  { cadence: 'CUSTOM', targetDaysMask: 0, targetPerWeek: 7 },
  { targetDaysMask: 21 },
  { targetDaysMask: 64, targetPerWeek: 9 },
  { targetDaysMask: 96, cadence: 'WEEKLY' },
  { cadence: 'WEEKLY' },
  { cadence: 'WEEKLY', targetDaysMask: 0, targetPerWeek: null },
  { targetPerWeek: 3, targetDaysMask: 0 },
  // With the 7 above: all targets from 1 to 10.
  ...[1, 2, 3, 4, 5, 6, 8, 9, 10, 14].map((targetPerWeek) => ({ targetPerWeek })),
];

export interface Life {
  readonly habit: HabitHistory & { readonly startDate: string };
  readonly asOf: string;
  readonly weekStart: WeekStart;
}

const OLDEST_LOG = dayNumber('2023-12-20');

/** A habit with logs from before its start until after the evaluation day, in no order. */
export function aLife(days: { min: number; max: number }): fc.Arbitrary<Life> {
  return fc
    .record({
      codes: fc.uint8Array({ minLength: days.min, maxLength: days.max, size: 'max' }),
      temper: fc.constantFrom(...TEMPERS),
      schedule: fc.constantFrom(...SCHEDULES),
      oldest: fc.nat(13),
      startsAfter: fc.nat(9),
      goesOn: fc.nat(9),
      weekStart: fc.constantFrom<WeekStart>('MONDAY', 'SUNDAY', 'SATURDAY'),
    })
    .map(({ codes, temper, schedule, oldest, startsAfter, goesOn, weekStart }) => {
      const first = OLDEST_LOG + oldest;
      const logs = [...codes].flatMap((code, i) => logsOf(civilDate(first + i), temper[code % temper.length]!, code));
      const startDate = civilDate(first + startsAfter);
      const habit = { name: 'Run', startDate, ...schedule, logs: scattered(logs) };
      return { habit, asOf: civilDate(first + codes.length - 1 - goesOn), weekStart };
    });
}

/** @param code 0 to 255; also chooses whether and which mood, energy and stress go with the day */
function logsOf(localDate: string, letter: string, code: number): HabitLog[] {
  const score = (shift: number) => ((code >> shift) & 3 ? ((code >> shift) % 10) + 1 : null);
  return ENTRIES[letter]!.map((entry) => ({
    localDate,
    moodScore: score(2),
    energyScore: score(1),
    stressScore: score(4),
    ...entry,
  }));
}

function scattered(logs: readonly HabitLog[]): HabitLog[] {
  return [...logs.filter((_, i) => i % 3 === 1), ...logs.filter((_, i) => i % 3 !== 1).reverse()];
}

/** A window as long as the longest history, so that a later evaluation day looks at the same occasions. */
const ALL_DAYS = 10_000;
const NO_SCORES = { averageMood: undefined, moodCorrelation: undefined, energyTrend: undefined, worstWeekday: null };

export function recordOf({ habit, asOf, weekStart }: Life): HabitRecord {
  return habitRecord(habit, viewpointOf({ asOf, weekStart, windowDays: ALL_DAYS }));
}

/** The occasions alone, without what is made of them. */
export function occasionsAt({ habit, asOf, weekStart }: Life): readonly Occasion[] {
  const schedule = scheduleOf(habit);
  const book = dayBook(readLogs(habit, schedule), schedule, dayNumber(habit.startDate), dayNumber(asOf));
  return occasionsOf(book, schedule, weekStart);
}

/** The scores that come from doing and skipping alone, without averages and correlations of mood, and without facts. */
export function scored(life: Life): ScoredHabit {
  const { facts: _, ...scores } = scoreHistory(recordOf(life), life.habit.name, 0, NO_SCORES);
  return scores;
}

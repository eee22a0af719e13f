import { civilDate } from '@evenkeel/scoring';
import fc from 'fast-check';
import type { HabitToWrite } from './habit-file';
import { intervalOf, scheduleOf } from './reading/schedules';

/** Texts that a table of ours takes, the ones that formats trip over among them. */
const aPart = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  fc.constantFrom("'", "''=1", '=', '+', '-1', '@x', '\t', '"', '""', ',', '\r\n', '\n', '\r', ' ', '＝', '\uFFFD'),
  fc.constantFrom('__proto__', '(2)', ' (2)', '\uFEFF', 'x'.repeat(118), '😀'.repeat(59), 'null', '1:Run', '/'),
);
const withoutNul = (text: string) => text.replaceAll('\0', '0');
const first = (text: string, count: number) => [...text].slice(0, count).join('');
const aText = (longest: number) =>
  fc.array(aPart, { maxLength: 4 }).map((parts) => first(withoutNul(parts.join('')), longest));
const NAMES = ['Run', 'Run (2)', 'Run !', "'Run"];
const aName = fc
  .oneof(fc.constantFrom(...NAMES), aText(118))
  .map((text) => ([...first(text, 118).trim()].length < 2 ? `Go ${text.trim()}`.trim() : first(text, 118).trim()));

const aDay = fc.oneof(fc.integer({ min: 20_000, max: 20_010 }), fc.integer({ min: 10_958, max: 20_770 }));
const orNull = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: null });
const aShare = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map((share) => share + 0),
  fc.constantFrom(0, 1, 0.5, 0.00003, 0.999999, 1e-9, 0.25),
);
const aStatus = fc.oneof(
  fc.constantFrom(
    { status: 'COMPLETED', completionRate: 1 } as const,
    { status: 'SKIPPED', completionRate: 0 } as const,
  ),
  aShare.map((completionRate) => ({ status: 'PARTIAL', completionRate }) as const),
);
const aLog = fc
  .record({
    day: aDay,
    minutes: orNull(fc.integer({ min: -840, max: 2_000 })),
    said: aStatus,
    sourceId: orNull(fc.oneof(fc.uuid(), fc.constantFrom('1:Run/2024-10-04', '2:Run/2024-10-04/2', 'Run'))),
    durationMinutes: orNull(fc.integer({ min: 0, max: 1_440 })),
    moodScore: orNull(fc.integer({ min: 1, max: 10 })),
    energyScore: orNull(fc.integer({ min: 1, max: 10 })),
    stressScore: orNull(fc.integer({ min: 1, max: 10 })),
    contextTags: fc.array(aText(32), { maxLength: 3 }),
    note: orNull(aText(1_024)),
  })
  .map(({ day, minutes, said, ...rest }) => ({
    localDate: civilDate(day),
    ...said,
    ...rest,
    occurredAt: minutes === null ? null : new Date(day * 86_400_000 + minutes * 60_000).toISOString(),
  }));

/** Of files that have ids of their own, and of those whose habit had another name then. */
const aHabitId = fc.oneof(fc.uuid(), fc.constantFrom('2:Run', '1:Run (3)', ...NAMES.map((name) => `1:${name}`)));

/** The habit as it is read: where nobody said when it begins, that is its first day. */
function startingAsRead<Habit extends HabitToWrite>(habit: Habit): Habit {
  if (habit.createdOn === null) return habit;
  return { ...habit, start: [habit.createdOn, ...habit.logs.map(({ localDate }) => localDate)].sort()[0]! };
}

const aHabit: fc.Arbitrary<HabitToWrite> = fc
  .record({
    sourceId: orNull(aHabitId),
    name: aName,
    description: orNull(aText(512)),
    category: orNull(aText(64)),
    cadence: fc.constantFrom('DAILY', 'WEEKLY', 'CUSTOM'),
    targetPerWeek: fc.integer({ min: 1, max: 14 }),
    targetDaysMask: fc.integer({ min: 0, max: 127 }),
    start: aDay.map(civilDate),
    createdOn: orNull(aDay.map(civilDate)),
    archived: fc.boolean(),
    question: orNull(aText(512).filter((text) => text !== '')),
    order: orNull(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))),
    color: orNull(fc.constantFrom('#00897b', '#ff8f00', '#123456', '#000000', '#ffffff')),
    frequency: orNull(
      fc.oneof(
        fc.record({ times: fc.integer({ min: 1, max: 4 }), days: fc.integer({ min: 1, max: 12 }) }),
        fc.constantFrom({ times: 1, days: 30 }, { times: 1, days: 31 }, { times: 7, days: 7 }, { times: 2, days: 30 }),
      ),
    ),
    logs: fc.uniqueArray(aLog, { maxLength: 8, selector: (log) => log.sourceId ?? {} }),
  })
  .map(({ frequency, ...habit }) => {
    const schedule = frequency ? scheduleOf(frequency) : habit;
    return startingAsRead({ ...habit, ...schedule, interval: frequency && intervalOf(schedule, frequency) });
  });

export const someHabits = fc.uniqueArray(aHabit, { maxLength: 5, selector: (habit) => habit.sourceId ?? {} });

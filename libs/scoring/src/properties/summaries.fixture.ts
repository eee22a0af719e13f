import fc from 'fast-check';
import type { HabitSummary } from '../habits/scored-habit';
import type { TaskSummary } from '../tasks/task-summary';

/** Items a full request holds. */
export const FULL = 25;

const ODD = ['', '__proto__', 'constructor', 'toString', 'İstanbul', 'straße', '\u{1F4A5}', '\ud800', 'a"b\\c\n', '0'];

const aName = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom('Run', 'Read', 'run', 'Écrire'));

/** 0 to 1, with the ends, the thresholds of the engine, and values no one reports. */
export const aRatio = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100),
  fc.constantFrom(0, -0, 1, 1e-12, 1 - 1e-12, 5e-324, 0.25, 0.5, 0.85, 0.999),
);

export const aCount = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40) },
  { weight: 2, arbitrary: fc.nat(2_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 7, 1e9, 2 ** 31 - 1, 2 ** 53, 1e308) },
);

function from1To10(): fc.Arbitrary<number> {
  return fc.oneof(fc.double({ min: 1, max: 10, noNaN: true }), fc.integer({ min: 1, max: 10 }), fc.constant(5));
}

const sometimes = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

export const aHabit: fc.Arbitrary<HabitSummary> = fc.record({
  name: aName,
  completion_rate: aRatio,
  current_streak: aCount,
  best_streak: aCount,
  average_mood: sometimes(from1To10()),
  mood_correlation: sometimes(fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(-1, -0.5, 0.3, 1))),
  energy_trend: sometimes(fc.constantFrom('rising' as const, 'stable' as const, 'falling' as const)),
  risk_score: sometimes(aRatio),
});

export const aTask: fc.Arbitrary<TaskSummary> = fc.record({
  name: aName,
  success_rate: aRatio,
  current_streak: aCount,
  best_streak: aCount,
  runs: sometimes(aCount),
  latency_trend: sometimes(fc.constantFrom('rising' as const, 'stable' as const, 'falling' as const)),
  p95_latency_ms: sometimes(fc.oneof(fc.nat(10_000_000), fc.constantFrom(0, -0, 1e-12, 1e12, 1e308))),
  risk_score: sometimes(aRatio),
  cadence: sometimes(
    fc.constantFrom('continuous' as const, 'hourly' as const, 'daily' as const, 'weekly' as const, 'ad_hoc' as const),
  ),
  critical: sometimes(fc.boolean()),
});

export const fullOfHabits = fc.array(aHabit, { minLength: FULL, maxLength: FULL, size: 'max' });
export const fullOfTasks = fc.array(aTask, { minLength: FULL, maxLength: FULL, size: 'max' });
export const aHorizon = fc.integer({ min: 7, max: 180 });

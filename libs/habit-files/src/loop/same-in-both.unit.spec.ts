import fc from 'fast-check';
import type { HabitFile } from '../habit-file';
import { read } from '../read.fixture';
import { writeHabitFile } from '../writing/write-habit-file.fixture';
import { trackedFiles, type TrackedHabit } from './loop-files.fixture';

const aText = fc.constantFrom('', 'How far?', 'a, "b"', 'two\nlines', '=1+1', 'щ');
const aNumber = fc.oneof(
  fc.constantFrom(-1, 0, 1, 2, 3, 1_000, 2_500, 3_333, 10_000),
  fc.integer({ min: 0, max: 12_000 }),
);
const aValue = (value: fc.Arbitrary<number>) =>
  fc.record({ value: fc.option(value, { nil: undefined }), note: fc.constantFrom('', '', 'in, "rain"') });

const yesOrNo = fc.record({
  frequency: fc.constantFrom([1, 1], [3, 7], [7, 7], [1, 7], [2, 3], [1, 10], [5, 30], [1, 31]),
  number: fc.constant(null),
  values: fc.array(aValue(fc.constantFrom(-1, 0, 1, 2, 2, 2, 3)), { maxLength: 30 }),
});
const measured = fc.record({
  frequency: fc.constantFrom([1, 1], [1, 7], [1, 30], [1, 31]),
  number: fc.record({
    atMost: fc.boolean(),
    target: fc.constantFrom(0, 1, 2.5, 3, 6, 7, 10, 100),
    unit: fc.constantFrom('', 'km'),
  }),
  values: fc.array(aValue(aNumber), { maxLength: 30 }),
});
const aHabit: fc.Arbitrary<TrackedHabit> = fc
  .record({
    name: fc.constantFrom('Read', 'Бег по утрам', '跑步', '🏃🏃', 'Run, far', '2026 goals', '- no sugar', 'x'),
    question: aText,
    description: aText,
    archived: fc.boolean(),
    color: fc.constantFrom(3, 8, 19),
    kind: fc.oneof(yesOrNo, measured),
  })
  .map(({ kind: { frequency, ...kind }, ...habit }) => {
    const [times, days] = frequency;
    return { ...habit, ...kind, times, days };
  });

const someHabits = fc.array(aHabit, { minLength: 1, maxLength: 5 });
const byDay = ({ habits }: HabitFile) =>
  habits.map((habit) => ({ ...habit, logs: [...habit.logs].sort((a, b) => (a.localDate < b.localDate ? -1 : 1)) }));

it('a backup and an export of the same habits are the same habits and logs', async () => {
  await fc.assert(
    fc.asyncProperty(someHabits, async (habits) => {
      const { database, zip } = await trackedFiles(habits);
      const [backup, exported] = [await read(database), await read(zip)];
      expect(byDay(exported)).toEqual(byDay(backup));
      expect(exported.rejected).toEqual(backup.rejected);
    }),
    { numRuns: sized(60, 1_500) },
  );
});

const LOOK = ['question', 'description', 'color', 'archived'] as const;
const FACTS = [...LOOK, 'frequency', 'cadence', 'targetPerWeek', 'interval'] as const;

it('what came from the tracker goes back as it was: names, questions, intervals, colours, order, archived', async () => {
  await fc.assert(
    fc.asyncProperty(someHabits, async (habits) => {
      const { database } = await trackedFiles(habits);
      const file = await read(database);
      const again = await read(await writeHabitFile('loop', file.habits));
      const facts = ({ habits: all }: HabitFile) => all.map((habit) => FACTS.map((member) => habit[member]));
      expect(facts(again)).toEqual(facts(file));
    }),
    { numRuns: sized(40, 1_000) },
  );
});

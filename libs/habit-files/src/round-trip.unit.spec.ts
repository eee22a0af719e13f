import fc from 'fast-check';
import type { FileHabit, HabitToWrite } from './index';
import { read } from './read.fixture';
import { someHabits } from './some-habits.fixture';
import { writeHabitFile } from './writing/write-habit-file.fixture';

jest.setTimeout(180_000);
const checks = { numRuns: sized(100, 3_000) };

function pick({ sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask, ...rest }: FileHabit) {
  const { start, createdOn, archived, question, interval, order, color, logs } = rest;
  const schedule = { cadence, targetPerWeek, targetDaysMask };
  const carried = { question, interval, order, color };
  return { sourceId, name, description, category, ...schedule, start, createdOn, archived, ...carried, logs };
}

const allOf = ({ logs, ...habit }: HabitToWrite) => ({ ...habit, logs: logs.map((log) => ({ ...log })) });
const withoutIds = (habits: readonly HabitToWrite[]) =>
  habits
    .map((habit) => ({ ...allOf(habit), sourceId: null, logs: habit.logs.map((log) => ({ ...log, sourceId: null })) }))
    .map((habit) => ({ ...habit, logs: habit.logs.map((log) => JSON.stringify(log, Object.keys(log).sort())).sort() }))
    .map((habit) => JSON.stringify(habit, Object.keys(habit).sort()))
    .sort();

describe('own JSON', () => {
  it('has all of what it is given', async () => {
    await fc.assert(
      fc.asyncProperty(someHabits, async (habits) => {
        const { habits: found, rejects, notes } = await read(await writeHabitFile('json', habits));
        expect({ rejects, notes }).toEqual({ rejects: [], notes: [] });
        expect(withoutIds(found.map(pick))).toEqual(withoutIds(habits));
        const ids = found.flatMap(({ sourceId: id, logs }) => [id, ...logs.map((log) => `${id} ${log.sourceId}`)]);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      checks,
    );
  });

  it('is read as exactly what was written, and written as the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(someHabits, async (habits) => {
        const { habits: found } = await read(await writeHabitFile('json', habits));
        const bytes = await writeHabitFile('json', found);
        expect(Buffer.from(bytes).toString()).toBe(Buffer.from(await writeHabitFile('json', habits)).toString());
        expect((await read(bytes)).habits).toEqual(found);
      }),
      checks,
    );
  });
});

describe.each(['csv', 'loop'] as const)('%s', (format) => {
  it('is read without a reject, and written as the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(someHabits, async (habits) => {
        const bytes = await writeHabitFile(format, habits);
        const { habits: found, rejects } = await read(bytes);
        expect(rejects).toEqual([]);
        expect(Buffer.compare(await writeHabitFile(format, found), bytes)).toBe(0);
      }),
      checks,
    );
  });
});

it.each(['json', 'csv', 'loop'] as const)('as %s has the same bytes in whatever order habits come', async (format) => {
  await fc.assert(
    fc.asyncProperty(someHabits, fc.infiniteStream(fc.nat()), async (habits, order) => {
      const shuffled = <Value>(values: readonly Value[]) =>
        values
          .map((value) => ({ value, place: order.next().value as number }))
          .sort((one, other) => one.place - other.place)
          .map(({ value }) => value);
      const others = shuffled(habits).map((habit) => ({ ...habit, logs: shuffled(habit.logs) }));
      expect(Buffer.compare(await writeHabitFile(format, others), await writeHabitFile(format, habits))).toBe(0);
    }),
    { numRuns: sized(40, 1_000) },
  );
});

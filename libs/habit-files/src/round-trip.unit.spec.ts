import fc from 'fast-check';
import { type FileHabit, type FileLog, readHabitFile, type HabitToWrite } from './index';
import { LAST_DAY, read } from './read.fixture';
import { aHabit, someHabits, startingAsRead } from './some-habits.fixture';
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
        const ids = found.flatMap(({ sourceId, logs }) => [
          sourceId,
          ...logs.map((log) => `${sourceId} ${log.sourceId}`),
        ]);
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

  it('keeps what has an id as it is', async () => {
    const owned = fc.uniqueArray(aHabit, { maxLength: 5, selector: ({ sourceId }) => sourceId ?? '' });
    const wholly = owned.map((habits) =>
      habits
        .filter(({ sourceId }) => sourceId !== null)
        .map((habit) =>
          startingAsRead<FileHabit>({
            ...(habit as FileHabit),
            logs: habit.logs.filter((log): log is FileLog => log.sourceId !== null),
          }),
        ),
    );
    await fc.assert(
      fc.asyncProperty(wholly, async (habits) => {
        const { habits: found } = await read(await writeHabitFile('json', habits));
        const byId = (all: readonly FileHabit[]) =>
          all
            .map((habit) => ({
              ...pick(habit),
              logs: [...habit.logs].sort((one, other) => (one.sourceId < other.sourceId ? -1 : 1)),
            }))
            .sort((one, other) => (one.sourceId < other.sourceId ? -1 : 1));
        expect(byId(found)).toEqual(byId(habits));
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

it.each(['json', 'csv', 'loop'] as const)(
  'as %s has the same bytes whatever order habits and logs come in',
  async (format) => {
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
  },
);

it('leaves its input as it was', async () => {
  const { habits } = await readHabitFile(Buffer.from('habit,date,value\nRun,2026-01-06,x\nAm,2026-01-05,0.5\n'), {
    lastDay: LAST_DAY,
  });
  const before = JSON.stringify(habits);
  for (const format of ['json', 'csv', 'loop'] as const) await writeHabitFile(format, habits);
  expect(JSON.stringify(habits)).toBe(before);
});

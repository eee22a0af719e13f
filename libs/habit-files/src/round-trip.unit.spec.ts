import { civilDate } from '@evenkeel/scoring';
import fc from 'fast-check';
import { type FileHabit, type FileLog, readHabitFile, writeHabitFile, type HabitToWrite } from './index';
import { LAST_DAY, read } from './read.fixture';

/** Texts that a table of ours takes, the ones that formats trip over among them. */
const aPart = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  fc.constantFrom(
    ...["'", "''=1", '=', '+', '-1', '@x', '\t', '"', '""', ',', '\r\n', '\n', '\r', ' ', '＝', '\uFFFD'],
  ),
  fc.constantFrom('__proto__', '(2)', ' (2)', '\uFEFF', 'x'.repeat(118), '😀'.repeat(59), 'null', '1:Run', '/'),
);
const withoutNul = (text: string) => text.replaceAll('\0', '0');
const first = (text: string, count: number) => [...text].slice(0, count).join('');
const aText = (longest: number) =>
  fc.array(aPart, { maxLength: 4 }).map((parts) => first(withoutNul(parts.join('')), longest));
const aName = fc
  .oneof(fc.constantFrom('Run', 'Run (2)', 'Run !', "'Run"), aText(118))
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
    sourceId: orNull(fc.uuid()),
    durationMinutes: orNull(fc.integer({ min: 0, max: 1_440 })),
    moodScore: orNull(fc.integer({ min: 1, max: 10 })),
    energyScore: orNull(fc.integer({ min: 1, max: 10 })),
    stressScore: orNull(fc.integer({ min: 1, max: 10 })),
    contextTags: fc.array(aText(32), { maxLength: 3 }),
    note: orNull(aText(1_024)),
  })
  .map(({ day, minutes, said, ...rest }) => ({
    ...{ localDate: civilDate(day), ...said, ...rest },
    occurredAt: minutes === null ? null : new Date(day * 86_400_000 + minutes * 60_000).toISOString(),
  }));
const aHabit: fc.Arbitrary<HabitToWrite> = fc.record({
  sourceId: orNull(fc.uuid()),
  name: aName,
  description: orNull(aText(512)),
  category: orNull(aText(64)),
  cadence: fc.constantFrom('DAILY', 'WEEKLY', 'CUSTOM'),
  targetPerWeek: fc.integer({ min: 1, max: 14 }),
  targetDaysMask: fc.integer({ min: 0, max: 127 }),
  start: aDay.map(civilDate),
  archived: fc.boolean(),
  logs: fc.uniqueArray(aLog, { maxLength: 8, selector: (log) => log.sourceId ?? {} }),
});
const someHabits = fc.uniqueArray(aHabit, { maxLength: 5, selector: (habit) => habit.sourceId ?? {} });
jest.setTimeout(180_000);
const checks = { numRuns: sized(300, 3_000) };

function pick({ sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask, ...rest }: FileHabit) {
  const { start, archived, logs } = rest;
  return { sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask, start, archived, logs };
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
        .map((habit): FileHabit => ({
          ...(habit as FileHabit),
          logs: habit.logs.filter((log): log is FileLog => log.sourceId !== null),
        })),
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
      { numRuns: sized(100, 1_000) },
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

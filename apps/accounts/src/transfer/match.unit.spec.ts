import { missingLogs, namesInFiles, readHabitFile, type HabitToWrite, type ReadHabit } from '@evenkeel/habit-files';
import { someHabits, writeHabitFile } from '@evenkeel/habit-files/testing';
import fc from 'fast-check';
import { matchHabits } from './account-habits';

const LAST_DAY = '2026-11-21';

/** In an account every log has an instant. */
const storedHabits = someHabits.map((habits) =>
  habits.map((habit) => ({
    ...habit,
    logs: habit.logs.map((log) => ({ ...log, occurredAt: log.occurredAt ?? `${log.localDate}T12:00:00.000Z` })),
  })),
);

function knownOf<Habit extends HabitToWrite>(habits: readonly Habit[]) {
  const names = namesInFiles(habits);
  return habits.map((habit) => ({ ...habit, inFiles: names.get(habit)! }));
}

describe('a file of every format, into the account that it came from', () => {
  it.each(['json', 'csv', 'loop'] as const)('as %s finds each habit and each log', async (format) => {
    await fc.assert(
      fc.asyncProperty(storedHabits, async (habits) => {
        const file = await readHabitFile(await writeHabitFile(format, habits), { lastDay: LAST_DAY });
        const known = knownOf(habits);
        const matches = matchHabits(file, known);
        expect(new Set(matches.values()).size).toBe(file.habits.length);
        for (const habit of file.habits) {
          const found = matches.get(habit)!;
          expect(missingLogs(habit.logs, found.logs, found.inFiles.sourceId)).toEqual([]);
          expect(worksOf(found)).toEqual(expect.arrayContaining(worksOf(habit)));
        }
      }),
      { numRuns: sized(60, 1_500) },
    );
  });

  /** The completions by day, as far as every format has them. */
  function worksOf({ logs }: Pick<ReadHabit, 'logs'> | HabitToWrite): string[] {
    return logs.map(({ localDate, status }) => `${localDate} ${status === 'SKIPPED' ? 'skipped' : 'worked'}`);
  }
});

describe('habits', () => {
  const habit = (name: string, sourceId: string | null = null, start = '2026-01-05'): HabitToWrite => ({
    sourceId,
    name,
    description: null,
    category: null,
    start,
    createdOn: null,
    archived: false,
    logs: [],
    cadence: 'DAILY',
    targetPerWeek: 7,
    targetDaysMask: 127,
    question: null,
    interval: null,
    order: null,
    color: null,
  });
  const fileOf = async (text: string) => readHabitFile(Buffer.from(text), { lastDay: LAST_DAY });
  const csv = (...names: string[]) =>
    fileOf(`habit,date,value\n${names.map((name) => `${name},2026-01-05,1\n`).join('')}`);
  const json = (...habits: object[]) => fileOf(JSON.stringify({ habits }));

  /** Which of the habits of the account each of the file is, by its place. */
  async function matched(file: Awaited<ReturnType<typeof fileOf>>, habits: readonly HabitToWrite[]) {
    const known = knownOf(habits);
    const matches = matchHabits(file, known);
    return file.habits.map((one) => known.indexOf(matches.get(one)!));
  }

  it('of one name are distinguished, and none is taken twice', async () => {
    const twins = [habit('Run'), habit('Run', null, '2026-01-06')];
    expect(await matched(await json({ name: 'Run' }, { name: 'Run' }, { name: 'Run' }), twins)).toEqual([0, 1, -1]);
    expect(await matched(await csv('Run (2)', 'Run', 'Run (3)'), twins)).toEqual([1, 0, -1]);
  });

  it('that came from a file are found under another name', async () => {
    expect(await matched(await csv('Run'), [habit('Jog', '1:Run'), habit('Run')])).toEqual([0]);
    expect(await matched(await csv('Jog', 'Run (2)'), [habit('Jog', '1:Run'), habit('Run')])).toEqual([0, 1]);
  });

  it('with an id that says more than a name are not those of another file', async () => {
    const file = await json({ sourceId: 'a', name: 'Run' });
    expect(await matched(file, [habit('Run', 'b')])).toEqual([-1]);
    expect(await matched(file, [habit('Run')])).toEqual([0]);
  });
});

import { habitStats } from '@evenkeel/scoring';
import fc from 'fast-check';
import { read } from '../read.fixture';
import {
  asLoopCounts,
  DAY_MS,
  FIRST_MS,
  loopDatabase,
  loopStrength,
  markedHabit,
  type LoopMark,
} from './loop-files.fixture';

const FIRST_DAY = FIRST_MS / DAY_MS;

const someMarks = fc
  .array(fc.constantFrom<LoopMark>('d', 'd', 'd', 'm', 'a', '-'), { minLength: 1, maxLength: 400 })
  // The tracker begins with the first entry.
  .map((marks): LoopMark[] => ['d', ...marks]);

it.each([12, 16, 22, 24, 25])(
  'daily habits of version %d have the streaks and the strength of the tracker',
  async (version) => {
    await fc.assert(
      fc.asyncProperty(someMarks, async (marks) => {
        const { habits } = await read(await loopDatabase(version, markedHabit('Daily', marks)));
        const { start, ...habit } = habits.find(({ name }) => name === 'Daily')!;
        const asOf = dateOf(FIRST_DAY + marks.length - 1);
        const stats = habitStats({ ...habit, startDate: start }, asOf);
        // With us an open day without completion is read when it is over.
        const shown = asLoopCounts(marks.at(-1) === 'd' ? marks : marks.slice(0, -1));
        expect(Math.abs(stats.strength - shown.strength)).toBeLessThan(0.01);
        expect([stats.bestStreak, stats.currentStreak]).toEqual([shown.best, shown.current]);
      }),
      { numRuns: sized(40, 500) },
    );
  },
);

it('daily habits that are counted have the strength of the tracker', async () => {
  const TARGET = 20;
  const numbers = fc.array(fc.option(fc.integer({ min: 0, max: 2 * TARGET }), { nil: undefined }), { maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(numbers, async (rest) => {
      // The last day is over, since with us an open one is read only then.
      const days = [TARGET, ...rest, TARGET];
      const rows = days.flatMap((number, day) =>
        number === undefined ? [] : [`(50, ${FIRST_MS + day * DAY_MS}, ${number * 1_000})`],
      );
      const extra = `INSERT INTO Habits (id, name, freq_num, freq_den, type, target_type, target_value, unit)
        VALUES (50, 'Words', 1, 1, 1, 0, ${TARGET}, 'words');
        INSERT INTO Repetitions (habit, timestamp, value) VALUES ${rows.join()}`;
      const { habits } = await read(await loopDatabase(25, extra));
      const { start, ...habit } = habits.find(({ name }) => name === 'Words')!;
      const { strength } = habitStats({ ...habit, startDate: start }, dateOf(FIRST_DAY + days.length - 1));
      const shown = loopStrength(days.map((number = 0) => Math.min(1, number / TARGET)));
      expect(Math.abs(strength - shown)).toBeLessThan(0.01);
    }),
    { numRuns: sized(40, 500) },
  );
});

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

import { habitStats } from '@evenkeel/scoring';
import fc from 'fast-check';
import { read } from '../read.fixture';
import { asLoopCounts, DAY_MS, FIRST_MS, loopDatabase, markedHabit, type LoopMark } from './loop-files.fixture';

const FIRST_DAY = FIRST_MS / DAY_MS;

const someMarks = fc
  .array(fc.constantFrom<LoopMark>('d', 'd', 'd', 'm', 'a', '-'), { minLength: 1, maxLength: 400 })
  // The tracker begins with the first entry.
  .map((marks): LoopMark[] => ['d', ...marks]);

it.each([12, 16, 22, 24, 25])('habits of version %d have the streaks and strength of the tracker', async (version) => {
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
});

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

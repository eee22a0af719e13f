import { dayNumber, habitStats } from '@evenkeel/scoring';
import fc from 'fast-check';
import { type HabitToWrite, writeHabitFile } from '../index';
import { read } from '../read.fixture';
import { DAY_MS, FIRST_MS, loopDatabase } from './loop-files.fixture';

const FIRST_DAY = FIRST_MS / DAY_MS;

/** Marks of a daily habit, a letter a day: d done, m missed and said so, a filled in by the tracker, - no entry. */
const VALUES: Readonly<Record<string, number | undefined>> = { d: 2, m: 0, a: 1, '-': undefined };
const someMarks = fc
  .array(fc.constantFrom('d', 'd', 'd', 'm', 'a', '-'), { minLength: 1, maxLength: 400 })
  // The tracker begins with the first entry.
  .map((marks) => ['d', ...marks]);

/** What the tracker shows of a daily habit: its strength, its best streak, and the one that runs. */
function asTheTrackerCounts(marks: readonly string[]): { strength: number; best: number; current: number } {
  const kept = 0.5 ** (Math.sqrt(1) / 13);
  let [strength, best, streak] = [0, 0, 0];
  for (const mark of marks) {
    const done = mark === 'd';
    strength = strength * kept + (done ? 1 - kept : 0);
    streak = done ? streak + 1 : 0;
    best = Math.max(best, streak);
  }
  return { strength, best, current: streak };
}

it.each([12, 16, 22, 24, 25])(
  'daily habits of version %d have the streaks and the strength of the tracker',
  async (version) => {
    await fc.assert(
      fc.asyncProperty(someMarks, async (marks) => {
        const rows = marks.flatMap((mark, day) =>
          VALUES[mark] === undefined ? [] : [`(50, ${FIRST_MS + day * DAY_MS}, ${VALUES[mark]})`],
        );
        const extra = `INSERT INTO Habits (id, name, freq_num, freq_den) VALUES (50, 'Daily', 1, 1);
        INSERT INTO Repetitions (habit, timestamp, value) VALUES ${rows.join()}`;
        const { habits } = await read(await loopDatabase(version, extra));
        const { start, ...habit } = habits.find(({ name }) => name === 'Daily')!;
        const asOf = dateOf(FIRST_DAY + marks.length - 1);
        const stats = habitStats({ ...habit, startDate: start }, asOf);
        // A day that is not over and not done yet counts with us when it is over.
        const shown = asTheTrackerCounts(marks.at(-1) === 'd' ? marks : marks.slice(0, -1));
        expect(Math.abs(stats.strength - shown.strength)).toBeLessThan(0.01);
        expect([stats.bestStreak, stats.currentStreak]).toEqual([shown.best, shown.current]);
      }),
      { numRuns: sized(40, 500) },
    );
  },
);

it('a backup of ours has them too', async () => {
  const logs = [...'dddmdddddd'].flatMap((mark, day) => (mark === 'd' ? [aLog(dateOf(FIRST_DAY + day))] : []));
  const habit: HabitToWrite = {
    ...{ sourceId: null, name: 'Daily', description: null, category: null, start: dateOf(FIRST_DAY) },
    ...{ createdOn: null, archived: false },
    ...{ cadence: 'DAILY', targetPerWeek: 7, targetDaysMask: 127, logs },
  };
  const { habits } = await read(await writeHabitFile('loop', [habit]));
  const stats = habitStats({ ...habits[0]!, startDate: habits[0]!.start }, dateOf(FIRST_DAY + 9));
  expect(stats).toMatchObject({ currentStreak: 6, bestStreak: 6, streakUnit: 'day' });
});

function aLog(localDate: string): HabitToWrite['logs'][number] {
  const scores = { moodScore: null, energyScore: null, stressScore: null };
  const rest = { occurredAt: null, durationMinutes: null, contextTags: [], note: null };
  return { localDate, sourceId: null, status: 'COMPLETED', completionRate: 1, ...scores, ...rest };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

it('counts days as the engine does', () => {
  expect(dayNumber(dateOf(FIRST_DAY))).toBe(FIRST_DAY);
});

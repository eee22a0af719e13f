import type { FileHabit, FileLog } from '@evenkeel/habit-files';
import { writeHabitFile } from '@evenkeel/habit-files/testing';
import { civilDate, dayNumber } from '@evenkeel/scoring';
import { readFile, Rejects } from './read-file';

const today = dayNumber('2026-11-20');

async function read(content: string | Uint8Array) {
  const rejects = new Rejects();
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const file = await readFile(bytes, { rejects, today });
  return { file, rejects: rejects.first.map(({ row, reason }) => `${row}: ${reason}`) };
}

/** Habits by name, and how many days of each are known. */
async function habitsOf(content: string | Uint8Array) {
  const { file } = await read(content);
  if (file.subject !== 'habits') throw new Error('tasks');
  const { habits, weekStart } = file;
  const facts = habits.map(({ name, kind, history, lastDay }) => [
    name,
    { kind, start: history.startDate, known: lastDay - dayNumber(history.startDate) + 1 },
  ]);
  return { habits: Object.fromEntries(facts) as Record<string, unknown>, weekStart };
}

const schedule = { cadence: 'WEEKLY', targetPerWeek: 3, targetDaysMask: 0 } as const;

function aHabit({ days, ...habit }: Partial<FileHabit> & { days: readonly number[] }): FileHabit {
  const logs = days.map((day): FileLog => {
    const localDate = civilDate(dayNumber('2026-01-05') + day);
    const nothing = { occurredAt: null, durationMinutes: null, moodScore: null, energyScore: null, stressScore: null };
    const done = { status: 'COMPLETED', completionRate: 1, contextTags: [], note: null } as const;
    return { localDate, sourceId: localDate, ...nothing, ...done };
  });
  const begins = { start: '2026-01-05', createdOn: null };
  const facts = {
    name: 'Run',
    description: null,
    category: null,
    ...begins,
    archived: false,
    question: null,
    interval: null,
    order: null,
    color: null,
  };
  return { sourceId: habit.name ?? 'Run', ...facts, ...schedule, ...habit, logs };
}

it('knows a habit up to the newest entry of the file, but an archived one or one given up no longer than it lasted', async () => {
  const file = await writeHabitFile('json', [
    aHabit({ name: 'Swim', days: [0] }),
    aHabit({ name: 'Old one', days: [0, 1], archived: true }),
    aHabit({ name: 'Walk', days: [0, 20] }),
    aHabit({ name: 'Never', days: [] }),
  ]);
  const { habits } = await habitsOf(file);
  const start = '2026-01-05';
  expect(habits).toEqual({
    Swim: { kind: '3 times a week', start, known: 21 },
    'Old one': { kind: '3 times a week', start, known: 2 },
    Walk: { kind: '3 times a week', start, known: 21 },
  });
  const later = await writeHabitFile('json', [
    aHabit({ name: 'Swim', days: [0] }),
    aHabit({ name: 'Walk', days: [99] }),
  ]);
  expect((await habitsOf(later)).habits).toMatchObject({ Swim: { known: 29 } });
});

it('puts habits together by how often they are due', async () => {
  const { habits, weekStart } = await habitsOf(
    JSON.stringify({
      profile: { weekStart: 'SUNDAY' },
      habits: [
        ['Daily', { cadence: 'DAILY' }],
        ['Weekdays', { targetDaysMask: 31 }],
        ['Weekly', { cadence: 'WEEKLY' }],
        ['Often', { targetPerWeek: 10 }],
      ].map(([name, facts]) => ({
        name,
        ...(facts as object),
        logs: [{ localDate: '2026-01-05', status: 'SKIPPED' }],
      })),
    }),
  );
  expect(weekStart).toBe('SUNDAY');
  expect(habits).toMatchObject({
    Daily: { kind: 'every day' },
    Weekdays: { kind: 'fixed weekdays' },
    Weekly: { kind: 'once a week' },
    Often: { kind: '10 times a week' },
  });
});

it('takes a day that was missed for known', async () => {
  const { habits } = await habitsOf('habit,date,value\nRun,2026-01-05,no\nRun,2026-01-06,yes\nRun,2026-01-08,no\n');
  expect(habits).toEqual({ Run: { kind: 'every day', start: '2026-01-05', known: 4 } });
});

it('reads names that look like members of every object', async () => {
  const { file } = await read('habit,date,value,per_week\n__proto__,2026-01-05,x,3\nconstructor,2026-01-05,1,\n');
  expect(file).toMatchObject({ habits: [{ name: '__proto__' }, { name: 'constructor' }] });
});

it('says which columns a table of either kind has', async () => {
  await expect(read('a,b\n1,2\n')).rejects.toThrow('habit,date,value or task,time,ok');
});

it('says that nothing is left', async () => {
  await expect(read('{"habits": []}')).rejects.toThrow('Nothing of the file is left: no habits with a usable entry.');
});

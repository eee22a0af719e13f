import { dayNumber } from '@evenkeel/scoring';
import { readFile, Rejects } from './read-file';

const read = (content: string) =>
  readFile(Buffer.from(content), { rejects: new Rejects(), today: dayNumber('2026-11-20') });

/** Habits of an export in our own form, and how many days of each are known. */
async function habitsOf(...habits: { name: string; days?: number[]; [fact: string]: unknown }[]) {
  const withLogs = habits.map(({ days = [5], ...facts }) => ({
    ...facts,
    logs: days.map((day) => ({ localDate: `2026-01-${String(day).padStart(2, '0')}`, status: 'COMPLETED' })),
  }));
  const file = await read(JSON.stringify({ profile: { weekStart: 'SUNDAY' }, habits: withLogs }));
  if (file.subject !== 'habits') throw new Error('tasks');
  expect(file.weekStart).toBe('SUNDAY');
  return file.habits.map(({ name, kind, history: { startDate }, lastDay }) => ({
    name,
    kind,
    known: lastDay - dayNumber(startDate) + 1,
  }));
}

it('knows a habit up to the newest entry of the file, but an archived one or one given up no longer than it lasted', async () => {
  const known = await habitsOf(
    { name: 'Swim', days: [1] },
    { name: 'Old one', days: [1, 2], archived: true },
    { name: 'Walk', days: [1, 31] },
    { name: 'Never', days: [] },
  );
  expect(known.map(({ name, known: days }) => [name, days])).toEqual([
    ['Swim', 29],
    ['Old one', 2],
    ['Walk', 31],
  ]);
});

it('puts habits together by how often they are due', async () => {
  const kinds = await habitsOf(
    { name: 'Daily', cadence: 'DAILY' },
    { name: 'Weekdays', targetDaysMask: 31 },
    { name: 'Weekly', cadence: 'WEEKLY' },
    { name: 'Often', targetPerWeek: 10 },
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(['every day', 'fixed weekdays', 'once a week', '10 times a week']);
});

import { dayNumber } from '@evenkeel/scoring';
import { readFile, Rejects } from './read-file';

it('knows a habit up to the newest entry of the file, but an archived one or one given up no longer than it lasted', async () => {
  const habits = [
    { name: 'Swim', days: [1] },
    { name: 'Old one', days: [1, 2], archived: true },
    { name: 'Walk', days: [1, 31], targetDaysMask: 31 },
    { name: 'Never', days: [] },
    { name: 'Often', days: [31], targetPerWeek: 10 },
  ].map(({ days, ...facts }) => ({
    ...facts,
    logs: days.map((day) => ({ localDate: `2026-01-${String(day).padStart(2, '0')}`, status: 'COMPLETED' })),
  }));
  const bytes = Buffer.from(JSON.stringify({ profile: { weekStart: 'SUNDAY' }, habits }));
  const file = await readFile(bytes, dayNumber('2026-11-20'), new Rejects());
  if (file.subject !== 'habits') throw new Error('tasks');
  const known = file.all.map(({ name, kind, history: { startDate }, lastDay }) => [
    name,
    kind,
    lastDay - dayNumber(startDate) + 1,
  ]);
  expect([file.weekStart, known]).toEqual([
    'SUNDAY',
    [
      ['Swim', 'every day', 29],
      ['Old one', 'every day', 2],
      ['Walk', 'fixed weekdays', 31],
      ['Often', '10 times a week', 1],
    ],
  ]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDate } from '@evenkeel/kernel';
import { analyzeLogs } from '@evenkeel/scoring';

const STATUSES = { d: 'COMPLETED', p: 'PARTIAL', s: 'SKIPPED' } as const;
const HABITS = [
  { name: 'Daily', targetDaysMask: 127 },
  { name: 'Weekly', targetPerWeek: 3, targetDaysMask: 0 },
];

/** Logs around a change of the clock, at home and away; the vectors' README names the columns. */
const lines = readFileSync(join(__dirname, '../../../../libs/scoring/vectors/travels.csv'), 'utf8')
  .trimEnd()
  .split('\n');

it('the engine gives the days and streaks of the vectors', () => {
  expect(lines).toHaveLength(601);
  for (const line of lines.slice(1)) {
    const [home, away, changed, dayStart, written, asOf, dates, ...streaks] = line.split(',') as [string, ...string[]];
    const dateIn = (zone: string, minutes: string) =>
      localDate(new Date(Date.parse(changed!) + Number(minutes) * 60_000), zone, Number(dayStart));
    const logs = written!.split(' ').map((log) => {
      const zone = log.at(-2) === 'a' ? away! : home;
      return { zone, localDate: dateIn(zone, log.slice(0, -2)), status: STATUSES[log.at(-1) as keyof typeof STATUSES] };
    });
    const { habits } = analyzeLogs({
      habits: HABITS.map((habit) => ({ ...habit, startDate: logs[0]!.localDate, logs })),
      asOf: dateIn(logs.at(-1)!.zone, asOf!),
      weekStart: 'MONDAY',
      windowDays: 90,
    });
    const found = habits.flatMap(({ metrics }) => [metrics.current_streak, metrics.best_streak]);
    const days = logs.map((log) => log.localDate.slice(5)).join(' ');
    expect([line, days, found]).toEqual([line, dates, streaks.map(Number)]);
  }
});

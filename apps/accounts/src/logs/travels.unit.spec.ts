import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDate } from '@evenkeel/kernel';
import { analyzeLogs } from '@evenkeel/scoring';

const MINUTE_MS = 60_000;
const STATUSES = { d: 'COMPLETED', p: 'PARTIAL', s: 'SKIPPED' } as const;
const HABITS = [
  { name: 'Daily', targetDaysMask: 127 },
  { name: 'Weekly', targetPerWeek: 3, targetDaysMask: 0 },
];

/** Logs around a change of the clock, at home and away; the vectors' README names the columns. */
const travels = readFileSync(join(__dirname, '../../../../libs/scoring/vectors/travels.csv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [home, away, changed, dayStart, logs, asOf, dates, ...streaks] = line.split(',') as [string, ...string[]];
    const instantOf = (minutes: string) => Date.parse(changed!) + Number(minutes) * MINUTE_MS;
    return {
      home,
      dayStartMinutes: Number(dayStart),
      asOf: instantOf(asOf!),
      logs: logs!.split(' ').map((log) => ({
        instant: instantOf(log.slice(0, -2)),
        zone: log.at(-2) === 'a' ? away! : home,
        status: STATUSES[log.at(-1) as keyof typeof STATUSES],
      })),
      expected: { dates: dates!.split(' ').map((date) => `2024-${date}`), streaks: streaks.map(Number) },
    };
  });
type Travel = (typeof travels)[number];

it('the engine gives the days and streaks of the vectors', () => {
  expect(travels).toHaveLength(600);
  expect(travels.map(throughEngine)).toEqual(travels.map(({ expected }) => expected));
});

function throughEngine({ logs, asOf, dayStartMinutes }: Travel): Travel['expected'] {
  const dateIn = (zone: string, instant: number) => localDate(new Date(instant), zone, dayStartMinutes);
  const dates = logs.map(({ zone, instant }) => dateIn(zone, instant));
  const history = {
    startDate: dates[0]!,
    logs: logs.map(({ status }, at) => ({ localDate: dates[at]!, status })),
  };
  const { habits } = analyzeLogs({
    habits: HABITS.map((habit) => ({ ...habit, ...history })),
    asOf: dateIn(logs.at(-1)!.zone, asOf),
    weekStart: 'MONDAY',
    windowDays: 90,
  });
  return { dates, streaks: habits.flatMap(({ metrics }) => [metrics.current_streak, metrics.best_streak]) };
}

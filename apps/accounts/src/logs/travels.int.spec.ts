import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDate } from '@evenkeel/kernel';
import { analyzeLogs } from '@evenkeel/scoring';
import { Accounts } from '../accounts.fixture';
import { HabitsOf, type Habit } from '../habits/habits.fixture';

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

/** Every so many of the file. */
const STEP = sized(37, 3);

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

/** Somebody who lives through a travel: the profile says where they are when they log. */
async function lived({ home, dayStartMinutes, asOf, logs }: Travel): Promise<Travel['expected']> {
  accounts.clock.set(new Date(asOf));
  const ana = new HabitsOf(accounts, await accounts.person({ timezone: home }));
  const { token } = ana.person;
  const change = async (profile: object) =>
    expect((await accounts.ask('PATCH', '/v1/auth/me', { token, body: profile })).status).toBe(200);
  await change({ dayStartMinutes });
  const startDate = new Date(logs[0]!.instant).toISOString();
  const daily = await ana.habit({ name: 'Daily', startDate });
  const weekly = await ana.habit({ name: 'Weekly', targetPerWeek: 3, startDate });
  for (const [at, { instant, zone, status }] of logs.entries()) {
    if (zone !== (logs[at - 1]?.zone ?? home)) await change({ timezone: zone });
    const log = { status, occurredAt: new Date(instant).toISOString() };
    await ana.ask('POST', '/logs/batch', { logs: [daily, weekly].map(({ id: habitId }) => ({ ...log, habitId })) });
  }
  // Stored when they came: the profile of now changes none of them.
  const { body } = await ana.ask('GET', `/${daily.id}/logs?limit=200`);
  const stored = (body.logs as { occurredAt: string; localDate: string }[]).toSorted((a, b) =>
    a.occurredAt.localeCompare(b.occurredAt),
  );
  const streaks: number[] = [];
  for (const { id } of [daily, weekly]) {
    const { stats } = (await ana.ask('GET', `/${id}`)).body as Habit;
    streaks.push(Number(stats.currentStreak), Number(stats.bestStreak));
  }
  return { dates: stored.map((log) => log.localDate), streaks };
}

it('logs of people at home and away have the days and streaks of the vectors', async () => {
  const some = travels.filter((_, at) => at % STEP === 0);
  expect(some.length).toBeGreaterThanOrEqual(sized(16, 200));
  const found: object[] = [];
  for (const travel of some) found.push({ home: travel.home, ...(await lived(travel)) });
  expect(found).toEqual(some.map(({ home, expected }) => ({ home, ...expected })));
}, 300_000);

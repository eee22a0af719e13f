import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localDate } from '@evenkeel/kernel';
import { analyzeLogs } from '@evenkeel/scoring';
import { Accounts } from '../accounts.fixture';
import { HabitsOf, type Habit } from '../habits/habits.fixture';
import { allTravels, DAILY, printedTravels, readTravels, WEEKLY, type Travel } from './travels.fixture';

const FILE = readFileSync(join(__dirname, '../../../../libs/scoring/vectors/travels.csv'), 'utf8');
const travels = readTravels(FILE);

it('the file is what the second readings of days and of streaks write', () => {
  expect(FILE).toBe(printedTravels());
  expect(travels).toEqual(allTravels());
});

it('the engine gives the same days and streaks', () => {
  const found = travels.map(({ home, change, dayStartMinutes, ...travel }) => {
    const { dates, dayStreaks, weekStreaks } = throughEngine({ home, change, dayStartMinutes, ...travel });
    return { home, change, dayStartMinutes, dates, dayStreaks, weekStreaks };
  });
  expect(found).toEqual(
    travels.map(({ home, change, dayStartMinutes, dates, dayStreaks, weekStreaks }) => {
      return { home, change, dayStartMinutes, dates, dayStreaks, weekStreaks };
    }),
  );
});

function throughEngine({ logs, asOf, dayStartMinutes, ...zones }: Travel) {
  const dateIn = (place: 'home' | 'away', instant: number) =>
    localDate(new Date(instant), zones[place], dayStartMinutes);
  const dates = logs.map(({ place, instant }) => dateIn(place, instant));
  const history = {
    startDate: dates[0]!,
    logs: logs.map(({ status }, at) => ({ localDate: dates[at]!, status })),
  };
  const { habits } = analyzeLogs({
    habits: [
      { ...DAILY, ...history },
      { ...WEEKLY, ...history },
    ],
    asOf: dateIn(logs.at(-1)!.place, asOf),
    weekStart: 'MONDAY',
    windowDays: 90,
  });
  const [dayStreaks, weekStreaks] = habits.map(({ metrics }) => [metrics.current_streak, metrics.best_streak]);
  return { dates, dayStreaks, weekStreaks };
}

/** Every so many of the file. */
const STEP = sized(37, 3);

let accounts: Accounts;
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterAll(() => accounts.close());

/** Logs that follow each other in one place. */
function stretchesOf({ logs }: Travel): Travel['logs'][] {
  const stretches: Travel['logs'][number][][] = [];
  for (const log of logs) {
    const last = stretches.at(-1);
    if (last?.[0]!.place === log.place) last.push(log);
    else stretches.push([log]);
  }
  return stretches;
}

/** Somebody who lives through a travel: the profile says where they are when they log. */
async function lived(travel: Travel): Promise<{ dates: unknown[]; dayStreaks: unknown[]; weekStreaks: unknown[] }> {
  accounts.clock.set(new Date(travel.asOf));
  const ana = new HabitsOf(accounts, await accounts.person({ timezone: travel.home }));
  const { token } = ana.person;
  const change = async (profile: object) =>
    expect((await accounts.ask('PATCH', '/v1/auth/me', { token, body: profile })).status).toBe(200);
  await change({ dayStartMinutes: travel.dayStartMinutes });
  const startDate = new Date(travel.logs[0]!.instant).toISOString();
  const daily = await ana.habit({ name: 'Daily', startDate });
  const weekly = await ana.habit({ name: 'Weekly', targetPerWeek: 3, startDate });
  const dates: unknown[] = [];
  for (const stretch of stretchesOf(travel)) {
    await change({ timezone: travel[stretch[0]!.place] });
    const logs = [daily, weekly].flatMap(({ id: habitId }) =>
      stretch.map(({ instant, status }) => ({ habitId, status, occurredAt: new Date(instant).toISOString() })),
    );
    await ana.ask('POST', '/logs/batch', { logs });
  }
  // Stored when they came: the profile of now changes none of them.
  const { body } = await ana.ask('GET', `/${daily.id}/logs?limit=200`);
  const stored = body.logs as { occurredAt: string; localDate: string }[];
  for (const { instant } of travel.logs) {
    dates.push(stored.find(({ occurredAt }) => occurredAt === new Date(instant).toISOString())?.localDate);
  }
  const streaksOf = async ({ id }: Habit) => {
    const { stats } = (await ana.ask('GET', `/${id}`)).body as Habit;
    return [stats.currentStreak, stats.bestStreak];
  };
  return { dates, dayStreaks: await streaksOf(daily), weekStreaks: await streaksOf(weekly) };
}

it('what people log at home and away has the days and streaks of the vectors', async () => {
  const some = travels.filter((_, at) => at % STEP === 0);
  expect(some.length).toBeGreaterThanOrEqual(sized(16, 200));
  const found: object[] = [];
  for (const travel of some) found.push({ home: travel.home, ...(await lived(travel)) });
  expect(found).toEqual(
    some.map(({ home, dates, dayStreaks, weekStreaks }) => ({ home, dates, dayStreaks, weekStreaks })),
  );
}, 300_000);

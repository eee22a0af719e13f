import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTravels, type Travel } from './travels.fixture';
import { Accounts } from '../accounts.fixture';
import { HabitsOf, type Habit } from '../habits/habits.fixture';

const FILE = readFileSync(join(__dirname, '../../../../libs/scoring/vectors/travels.csv'), 'utf8');
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
  const travels = readTravels(FILE).filter((_, at) => at % STEP === 0);
  expect(travels.length).toBeGreaterThanOrEqual(sized(16, 200));
  const found: object[] = [];
  for (const travel of travels) found.push({ home: travel.home, ...(await lived(travel)) });
  expect(found).toEqual(
    travels.map(({ home, dates, dayStreaks, weekStreaks }) => ({ home, dates, dayStreaks, weekStreaks })),
  );
}, 300_000);

import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf } from './analysis.fixture';

const FIRST = '2026-01-01';

let accounts: Accounts;
const start = new Date('2026-01-31T12:00:00Z');
beforeAll(async () => {
  accounts = await Accounts.start();
});
afterEach(() => accounts.clock.set(start));
afterAll(() => accounts.close());

interface Insight {
  id: string;
  habit: string;
  code: string;
  body: string;
  created_at: string;
}

const insightsOf = async (ana: AnalysesOf, body?: object) => {
  const reply = await ana.ask('insights', body);
  expect(reply.status).toBe(200);
  return reply.body as unknown as { insights: Insight[]; limit: number; clamped: boolean; next_cursor: string | null };
};

/** A minute less or more than a day, as the person's next request. */
async function later(ana: AnalysesOf, minutes: number): Promise<void> {
  accounts.clock.advanceMs(minutes * 60_000);
  await ana.signInAgain();
}

/** Kept but for four Thursdays, also on days that come: a streak, and a worst weekday. */
const CALENDAR = `${'mdddddd'.repeat(4)}dddddddddddd`;
const kept = (name: string, days = 40) => ({ name, startDay: FIRST, logs: logsOf(CALENDAR.slice(0, days), FIRST) });

it.each<[object, { limit: number; requested_limit: number; clamped: boolean }]>([
  [{}, { limit: 20, requested_limit: 20, clamped: false }],
  [{ limit: 200 }, { limit: 200, requested_limit: 200, clamped: false }],
  [{ limit: 201 }, { limit: 200, requested_limit: 201, clamped: true }],
  [{ limit: 1 }, { limit: 1, requested_limit: 1, clamped: false }],
  [{ limit: 0 }, { limit: 1, requested_limit: 0, clamped: true }],
  [{ limit: -7 }, { limit: 1, requested_limit: -7, clamped: true }],
])('a limit on Premium: %j', async (body, expected) => {
  const ana = await AnalysesOf.somebody(accounts);
  await accounts.grantPremium(ana.person.id);
  expect((await ana.ask('insights', body)).body).toEqual({ insights: [], next_cursor: null, ...expected });
});

it.each([
  [{}, 5, true],
  [{ limit: 3 }, 3, false],
  [{ limit: 5 }, 5, false],
  [{ limit: 0 }, 1, true],
])('a limit on Free: %j', async (body, limit, clamped) => {
  const ana = await AnalysesOf.somebody(accounts);
  expect((await ana.ask('insights', body)).body).toMatchObject({ limit, clamped, next_cursor: null });
});

it.each([[{ limit: 1.5 }], [{ limit: '5' }], [{ limit: null }], [{ cursor: 'next' }], [{ cursor: 7 }]])(
  'refuses %j',
  async (body) => {
    const ana = await AnalysesOf.somebody(accounts);
    expect((await ana.ask('insights', body)).body.error).toBe('validation_failed');
  },
);

it('keeps one row of a habit, code and day, with the newest text of that day', async () => {
  const ana = await AnalysesOf.somebody(accounts);
  const id = await ana.habit(kept('Run', 30));
  await ana.ask('analyze');
  const before = await insightsOf(ana);
  expect(before.insights.map(({ code, body }) => [code, body])).toEqual([
    ['strong_streak', '8 days in a row, 87% completed.'],
    ['worst_weekday', 'Worst on Thursday: 20% of 5 days.'],
  ]);
  await ana.query(
    `INSERT INTO habit_logs (user_id, id, habit_id, occurred_at, local_date, status, completion_rate, created_at, change_number)
     VALUES ($1, gen_random_uuid(), $2, $3, '2026-01-31', 'COMPLETED', 1, $3, 0)`,
    [ana.person.id, id, start],
  );
  await later(ana, 10);
  await ana.ask('analyze');
  const after = await insightsOf(ana);
  expect(after.insights.map(({ body }) => body)).toContain('9 days in a row, 87% completed.');
  expect(after.insights.map(({ id: row }) => row)).toEqual(before.insights.map(({ id: row }) => row));
});

it('looks again at habits without news for a day, and only then', async () => {
  const ana = await AnalysesOf.somebody(accounts);
  await ana.habit(kept('Run'));
  const first = await insightsOf(ana);
  expect(first.insights).toHaveLength(2);
  // A new habit is looked at; the one that has news of today is not.
  await later(ana, 60);
  await ana.habit(kept('Read'));
  const second = await insightsOf(ana);
  expect(second.insights.map(({ habit }) => habit)).toEqual(['Read', 'Read', 'Run', 'Run']);
  expect(second.insights.slice(2)).toEqual(first.insights);
  await later(ana, 23 * 60);
  expect((await insightsOf(ana)).insights).toEqual(second.insights);
  // A day and a minute after the first look.
  await later(ana, 1);
  const third = await insightsOf(ana);
  expect(third.insights.map(({ habit, created_at }) => [habit, created_at.slice(0, 10)])).toEqual([
    ['Run', '2026-02-01'],
    ['Run', '2026-02-01'],
    ['Read', '2026-01-31'],
    ['Read', '2026-01-31'],
    ['Run', '2026-01-31'],
  ]);
  expect(await ana.usage()).toEqual({ used: 0, events: [] });
});

it('Premium reads everything page by page, each row once, of habits that are archived too', async () => {
  const ana = await AnalysesOf.somebody(accounts);
  await accounts.grantPremium(ana.person.id);
  for (let habit = 0; habit < 4; habit++) await ana.habit(kept(`habit ${habit}`));
  await ana.ask('analyze');
  await later(ana, 24 * 60 + 1);
  await ana.ask('analyze');
  await ana.query('UPDATE habits SET archived_at = $2 WHERE user_id = $1', [ana.person.id, accounts.clock.now()]);
  const all = (await insightsOf(ana, { limit: 200 })).insights;
  expect(all).toHaveLength(16);
  const pages: Insight[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Awaited<ReturnType<typeof insightsOf>> = await insightsOf(ana, { limit: 5, ...(cursor && { cursor }) });
    pages.push(...page.insights);
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(all);
  for (const limit of [2 ** 31, 1e30, Number.MAX_SAFE_INTEGER])
    expect((await insightsOf(ana, { limit })).insights).toEqual(all);
  expect((await insightsOf(ana, { limit: -(2 ** 40) })).insights).toEqual(all.slice(0, 1));

  // Stored insights stay; Free reads the latest five, whatever cursor it sends.
  const { next_cursor: cursor } = await insightsOf(ana, { limit: 5 });
  await accounts.grantPremium(ana.person.id, start);
  expect((await insightsOf(ana, { limit: 20, cursor })).insights).toEqual(all.slice(0, 5));
});

it('tells of the habits that are asked about', async () => {
  const ana = await AnalysesOf.somebody(accounts);
  const run = await ana.habit(kept('Run'));
  await ana.habit(kept('Read'));
  expect((await insightsOf(ana, { habitId: run })).insights.map(({ habit }) => habit)).toEqual(['Run', 'Run']);
  expect((await insightsOf(ana)).insights).toHaveLength(4);
});

import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf } from './analysis.fixture';

const FIRST = '2026-01-01';
const start = new Date('2026-01-31T12:00:00Z');

const accounts = Accounts.forSuite();
afterEach(() => accounts.clock.set(start));
const somebody = () => AnalysesOf.somebody(accounts);

interface Insight {
  id: string;
  habit: string;
  code: string;
  body: string;
  created_at: string;
}

const insightsOf = async (ana: AnalysesOf, body?: object) => {
  const reply = await ana.ask('insights', body);
  return reply.body as unknown as { insights: Insight[]; next_cursor: string | null };
};

/** As the person's next request. */
async function later(ana: AnalysesOf, minutes: number): Promise<void> {
  accounts.clock.advanceMs(minutes * 60_000);
  await ana.signInAgain();
}

/** Kept but for four Thursdays, also on days that come: a streak, and a worst weekday. */
const CALENDAR = `${'mdddddd'.repeat(4)}dddddddddddd`;
const kept = (name: string, days = 40) => ({ name, startDay: FIRST, logs: logsOf(CALENDAR.slice(0, days), FIRST) });

it('a limit is moved into what the plan allows', async () => {
  const ana = await somebody();
  const limits = async (...asked: (number | undefined)[]) => {
    const answers = [];
    for (const limit of asked) {
      const { body } = await ana.ask('insights', { limit });
      answers.push([body.limit, body.requested_limit, body.clamped, body.next_cursor]);
    }
    return answers;
  };
  expect(await limits(undefined, 3, 0)).toEqual([
    [5, 20, true, null],
    [3, 3, false, null],
    [1, 0, true, null],
  ]);
  await accounts.grantPremium(ana.person.id);
  expect(await limits(undefined, 200, 201, 2 ** 31, -7)).toEqual([
    [20, 20, false, null],
    [200, 200, false, null],
    [200, 201, true, null],
    [200, 2 ** 31, true, null],
    [1, -7, true, null],
  ]);
  for (const body of [{ limit: 1.5 }, { cursor: 'next' }])
    expect((await ana.ask('insights', body)).body.error).toBe('validation_failed');
});

it('keeps one row of a habit, code and day, with the newest text of that day', async () => {
  const ana = await somebody();
  const id = await ana.habit(kept('Run', 30));
  await ana.ask('analyze');
  const before = (await insightsOf(ana)).insights;
  expect(before.map(({ code, body }) => [code, body])).toEqual([
    ['strong_streak', '8 days in a row, 87% completed.'],
    ['worst_weekday', 'Worst on Thursday: 20% of 5 days.'],
  ]);
  const log = { occurredAt: start.toISOString(), status: 'COMPLETED' };
  await accounts.ask('POST', `/v1/habits/${id}/logs`, { token: ana.person.token, body: log });
  await later(ana, 10);
  await ana.ask('analyze');
  const after = (await insightsOf(ana)).insights;
  expect(after.map(({ body }) => body)).toContain('9 days in a row, 87% completed.');
  expect(after.map((row) => row.id)).toEqual(before.map((row) => row.id));
});

it('looks again at habits without news for a day, and only then', async () => {
  const ana = await somebody();
  await ana.habit(kept('Run'));
  const first = await insightsOf(ana);
  expect(first.insights).toHaveLength(2);
  // A new habit is looked at; the one that has news of today is not.
  await later(ana, 60);
  const habitId = await ana.habit(kept('Read'));
  expect((await insightsOf(ana, { habitId })).insights.map(({ habit }) => habit)).toEqual(['Read', 'Read']);
  const second = await insightsOf(ana);
  expect(second.insights.slice(2)).toEqual(first.insights);
  await later(ana, 23 * 60);
  expect((await insightsOf(ana)).insights).toEqual(second.insights);
  // A day and a minute after the first look.
  await later(ana, 1);
  const third = await insightsOf(ana);
  const found = third.insights.map(({ habit, created_at }) => `${habit} ${created_at.slice(5, 10)}`);
  expect(found).toEqual(['Run 02-01', 'Run 02-01', 'Read 01-31', 'Read 01-31', 'Run 01-31']);
});

it('Premium reads everything page by page, each row once, of habits that are archived too; Free the latest five', async () => {
  const ana = await somebody();
  await accounts.grantPremium(ana.person.id);
  for (let habit = 0; habit < 4; habit++) await ana.habit(kept(`habit ${habit}`));
  await ana.ask('analyze');
  await later(ana, 24 * 60 + 1);
  await ana.ask('analyze');
  await accounts.sql('UPDATE habits SET archived_at = $2 WHERE user_id = $1', ana.person.id, accounts.clock.now());
  const all = (await insightsOf(ana, { limit: 200 })).insights;
  expect(all).toHaveLength(16);
  const pages: Insight[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await insightsOf(ana, { limit: 5, ...(cursor && { cursor }) });
    pages.push(...page.insights);
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(all);
  // Stored insights stay, and a cursor of before opens no more.
  const { next_cursor: cursor } = await insightsOf(ana, { limit: 5 });
  await accounts.grantPremium(ana.person.id, start);
  expect((await insightsOf(ana, { limit: 20, cursor })).insights).toEqual(all.slice(0, 5));
});

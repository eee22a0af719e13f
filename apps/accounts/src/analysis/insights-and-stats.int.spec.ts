import { Accounts } from '../accounts.fixture';
import { issuesOf, UNKNOWN_ID } from '../habits/habits.fixture';
import { AnalysesOf, logsOf, PUBLISHED, type MadeHabit } from './analysis.fixture';

const FIRST = '2026-01-01';
const start = new Date('2026-01-31T12:00:00Z');

const accounts = Accounts.forSuite();
afterEach(() => accounts.clock.set(start));
const somebody = (profile?: Record<string, unknown>) => AnalysesOf.somebody(accounts, profile);

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

describe('statistics', () => {
  const MADRID = { timezone: 'Europe/Madrid' };
  let ana: AnalysesOf;
  beforeAll(async () => {
    ana = await somebody(MADRID);
  });

  it('shows what became of each day of the documented history', async () => {
    const id = await ana.publishedHabit();
    const { body } = await ana.get(`${id}/stats`);
    expect(Object.keys(body).join()).toBe('habit_id,habit,from,to,streak_unit,days,weekdays,strength,streaks');
    expect(body).toMatchObject({
      habit_id: id,
      habit: 'Morning run',
      from: '2025-02-01',
      to: '2026-01-31',
      streak_unit: 'day',
      streaks: { current: 9, best: 21, best_from: '2025-11-15', best_to: '2025-12-06' },
    });
    const { list } = body.streaks as { list: object[] };
    expect(list[0]).toEqual({ from: '2025-11-15', to: '2025-12-06', length: 21 });
    const days = body.days as { date: string; state: string }[];
    const states = { d: 'kept', m: 'missed', s: 'excused' } as const;
    const letters = [...PUBLISHED.days.replaceAll(' ', '')] as (keyof typeof states)[];
    expect(days.slice(-90).map(({ state }) => state)).toEqual(letters.map((letter) => states[letter]));
    expect([days.length, days[0]]).toEqual([365, { date: '2025-02-01', state: 'off', credit: 0 }]);
    expect((body.strength as object[]).at(-1)).toEqual({ date: '2026-01-31', value: 0.8339 });
  });

  it('shows the weeks of a weekly target, and a part of a session as a part', async () => {
    const logs = logsOf('d.d.... p......', '2026-01-12');
    const id = await ana.habit({ name: 'Swim', targetPerWeek: 2, targetDaysMask: 0, startDay: '2026-01-12', logs });
    const { body } = await ana.get(`${id}/stats?from=2026-01-12&to=2026-01-31`);
    expect(body.weeks).toEqual([
      { start: '2026-01-12', state: 'kept', credit: 2, target: 2 },
      { start: '2026-01-19', state: 'missed', credit: 0.5, target: 2 },
      { start: '2026-01-26', state: 'pending', credit: 0, target: 2 },
    ]);
  });

  it('refuses days that are none, a range without end or beginning, and habits that are not the person’s', async () => {
    const [id, ben] = [await ana.habit(), await somebody()];
    for (const [path, issue] of [
      [`${id}/stats?from=2026-02-30`, '/from bad_format'],
      [`${id}/stats?to=yesterday`, '/to bad_format'],
      [`${id}/stats?from=2026-01-01&from=2026-01-02`, '/from bad_format'],
      [`${id}/stats?from=1999-12-31`, '/from out_of_range'],
      [`${id}/stats?to=2026-02-02`, '/to out_of_range'],
      [`${id}/stats?from=2026-01-02&to=2026-01-01`, '/from conflict'],
      [`${id}/stats?from=2021-01-27&to=2026-01-31`, '/from out_of_range'],
      ['today?date=2026-02-30', '/date bad_format'],
      ['today?date=2026-02-02', '/date out_of_range'],
    ])
      expect([path, issuesOf(await ana.get(path!))]).toEqual([path, [issue]]);
    const [missing, theirs] = [await ben.get(`${UNKNOWN_ID}/stats`), await ben.get(`${id}/stats`)];
    expect([theirs.status, theirs.text]).toEqual([404, missing.text]);
  });

  it('today shows all active habits, in their order and then by age, with what is due, done, excused or open', async () => {
    const eva = await somebody(MADRID);
    const habit = (terms: MadeHabit) => {
      accounts.clock.advanceMs(1);
      return eva.habit(terms);
    };
    const begun = (letters: string) => ({ startDay: '2026-01-29', logs: logsOf(letters, '2026-01-29') });
    const due = await habit({ name: 'Due', ...begun('dd') });
    const done = await habit({ name: 'Done', ...begun('ddd') });
    const excused = await habit({ name: 'Excused', ...begun('dds') });
    const week = { targetPerWeek: 3, targetDaysMask: 0, startDay: '2026-01-19' };
    const open = await habit({ name: 'Open', ...week, logs: logsOf('ddd.... d', '2026-01-19') });
    const off = await habit({ name: 'Off', ...begun('d'), targetDaysMask: 0b11111, targetPerWeek: 5 });
    await habit({ name: 'Gone', ...begun(''), archived: true });
    for (const [place, id] of [off, open].entries()) {
      const body = { order: place - 5 };
      await accounts.ask('PATCH', `/v1/habits/${id}`, { token: eva.person.token, body });
    }
    const { body } = await eva.get('today');
    const numbers = { credit: 0, target: 7, done_this_week: 1, current_streak: 0, streak_unit: 'day', at_risk: false };
    const row = (habit_id: string, name: string, shown: object) => ({ habit_id, habit: name, ...numbers, ...shown });
    expect(body).toEqual({
      date: '2026-01-31',
      habits: [
        row(off, 'Off', { state: 'off', target: 5 }),
        row(open, 'Open', { state: 'open_week', target: 3, current_streak: 1, streak_unit: 'week', at_risk: true }),
        row(due, 'Due', { state: 'due', done_this_week: 2, current_streak: 2, at_risk: true }),
        row(done, 'Done', { state: 'kept', credit: 1, done_this_week: 3, current_streak: 3 }),
        row(excused, 'Excused', { state: 'excused', done_this_week: 2, current_streak: 2 }),
      ],
    });
    const friday = (await eva.get('today?date=2026-01-30')).body.habits as { state: string }[];
    expect(friday.map(({ state }) => state)).toEqual(['missed', 'open_week', 'kept', 'kept', 'kept']);
  });

  it('today is the day where the person is, and costs no analysis', async () => {
    const eva = await somebody({ timezone: 'Pacific/Kiritimati' });
    expect((await eva.get('today')).body).toEqual({ date: '2026-02-01', habits: [] });
    expect((await eva.usage()).used).toBe(0);
  });
});

import { Accounts } from '../accounts.fixture';
import { issuesOf, UNKNOWN_ID } from '../habits/habits.fixture';
import { AnalysesOf, logsOf, PUBLISHED, type MadeHabit } from './analysis.fixture';

const accounts = Accounts.forSuite();
let ana: AnalysesOf;
beforeAll(async () => {
  ana = await AnalysesOf.somebody(accounts, { timezone: 'Europe/Madrid' });
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
  const [id, ben] = [await ana.habit(), await AnalysesOf.somebody(accounts)];
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
  const eva = await AnalysesOf.somebody(accounts, { timezone: 'Europe/Madrid' });
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
  const eva = await AnalysesOf.somebody(accounts, { timezone: 'Pacific/Kiritimati' });
  expect((await eva.get('today')).body).toEqual({ date: '2026-02-01', habits: [] });
  expect((await eva.usage()).used).toBe(0);
});

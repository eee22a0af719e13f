import { Accounts } from '../accounts.fixture';
import { AnalysesOf, logsOf, PUBLISHED, type MadeHabit } from './analysis.fixture';

const NOBODYS = '0194a1d0-5f6e-7c1a-9b3e-2f4d5a6b7c8d';

let accounts: Accounts;
let ana: AnalysesOf;
beforeAll(async () => {
  accounts = await Accounts.start();
  ana = await AnalysesOf.somebody(accounts, { timezone: 'Europe/Madrid' });
});
afterAll(() => accounts.close());

it('shows what became of each day of the documented history', async () => {
  const id = await ana.publishedHabit();
  const { status, body } = await ana.get(`${id}/stats`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual([
    'habit_id',
    'habit',
    'from',
    'to',
    'streak_unit',
    'days',
    'weekdays',
    'strength',
    'streaks',
  ]);
  expect(body).toMatchObject({
    habit_id: id,
    habit: 'Morning run',
    from: '2025-02-01',
    to: '2026-01-31',
    streak_unit: 'day',
    streaks: { current: 9, best: 21, best_from: '2025-11-15', best_to: '2025-12-06' },
  });
  const { list } = body.streaks as { list: { from: string; to: string; length: number }[] };
  expect(list[0]).toEqual({ from: '2025-11-15', to: '2025-12-06', length: 21 });
  expect(list).toContainEqual({ from: expect.any(String), to: '2026-01-31', length: 9 });
  const days = body.days as { date: string; state: string; credit: number }[];
  expect(days).toHaveLength(365);
  const states = { d: 'kept', m: 'missed', s: 'excused' } as const;
  const letters = [...PUBLISHED.days.replaceAll(' ', '')] as (keyof typeof states)[];
  expect(days.slice(-90).map(({ state }) => state)).toEqual(letters.map((letter) => states[letter]));
  expect(days[0]).toEqual({ date: '2025-02-01', state: 'off', credit: 0 });
  expect((body.strength as { value: number }[]).at(-1)).toEqual({ date: '2026-01-31', value: 0.8339 });
});

it('shows the weeks of a weekly target', async () => {
  const logs = logsOf('d.d.... d......', '2026-01-12');
  const id = await ana.habit({ name: 'Swim', targetPerWeek: 2, targetDaysMask: 0, startDay: '2026-01-12', logs });
  const { body } = await ana.get(`${id}/stats?from=2026-01-12&to=2026-01-31`);
  expect(Object.keys(body)).toContain('weeks');
  expect(body.weeks).toEqual([
    { start: '2026-01-12', state: 'kept', credit: 2, target: 2 },
    { start: '2026-01-19', state: 'missed', credit: 1, target: 2 },
    { start: '2026-01-26', state: 'pending', credit: 0, target: 2 },
  ]);
});

it('gives a day the credit of its log, a part of it too', async () => {
  const { token } = await accounts.person();
  const { body: habit } = await accounts.ask('POST', '/v1/habits', { token, body: { name: 'Swim' } });
  const path = `/v1/habits/${String(habit.id)}`;
  const body = { occurredAt: '2026-01-30T08:00:00Z', status: 'PARTIAL', completionRate: 0.3 };
  expect((await accounts.ask('POST', `${path}/logs`, { token, body })).status).toBe(201);
  const { body: stats } = await accounts.ask('GET', `${path}/stats?from=2026-01-30&to=2026-01-30`, { token });
  expect(stats.days).toMatchObject([{ date: '2026-01-30', credit: 0.3 }]);
});

it.each<[string, string[]]>([
  ['from=2026-02-30', ['/from bad_format']],
  ['to=yesterday', ['/to bad_format']],
  ['from=', ['/from bad_format']],
  ['from=2026-01-01&from=2026-01-02', ['/from bad_format']],
  ['from=1999-12-31', ['/from out_of_range']],
  ['to=2026-02-02', ['/to out_of_range']],
  ['from=2026-01-02&to=2026-01-01', ['/from conflict']],
  ['from=2021-01-27&to=2026-01-31', ['/from out_of_range']],
])('refuses ?%s', async (query, issues) => {
  const id = await ana.habit();
  const { status, body } = await ana.get(`${id}/stats?${query}`);
  expect([status, body.error]).toEqual([400, 'validation_failed']);
  const found = (body.details as { issues: { path: string; code: string }[] }).issues;
  expect(found.map(({ path, code }) => `${path} ${code}`)).toEqual(issues);
});

it('knows no habit that is missing or somebody else’s, no other id, and nobody without a token', async () => {
  const ben = await AnalysesOf.somebody(accounts);
  const foreign = await ben.habit();
  const [missing, theirs] = [await ana.get(`${NOBODYS}/stats`), await ana.get(`${foreign}/stats`)];
  expect([missing.status, theirs.status]).toEqual([404, 404]);
  expect(theirs.text).toBe(missing.text);
  expect((await ana.get('mine/stats')).body.error).toBe('validation_failed');
  expect((await accounts.ask('GET', `/v1/habits/${foreign}/stats`)).status).toBe(401);
});

describe('today', () => {
  const showToday = (of: AnalysesOf, query = '') => of.get(`today${query}`);
  const read = (body: Record<string, unknown>) => body.habits as Record<string, unknown>[];

  it('shows all active habits, in their order and then by age, with what is due, done, excused or open', async () => {
    const eva = await AnalysesOf.somebody(accounts, { timezone: 'Europe/Madrid' });
    await accounts.grantPremium(eva.person.id);
    const habit = (terms: MadeHabit) => {
      accounts.clock.advanceMs(1);
      return eva.habit(terms);
    };
    const logs = (letters: string) => logsOf(letters, '2026-01-29');
    const start = { startDay: '2026-01-29' };
    const due = await habit({ name: 'Due', ...start, logs: logs('dd') });
    const done = await habit({ name: 'Done', ...start, logs: logs('ddd') });
    const excused = await habit({ name: 'Excused', ...start, logs: logs('dds') });
    const week = { targetPerWeek: 3, targetDaysMask: 0, startDay: '2026-01-19' };
    const open = await habit({ name: 'Open', ...week, logs: logsOf('ddd.... d', '2026-01-19') });
    const off = await habit({ name: 'Off', ...start, targetDaysMask: 0b11111, targetPerWeek: 5, logs: logs('d') });
    const gone = await habit({ name: 'Gone', ...start, logs: [] });
    const change = (id: string, body: object) =>
      accounts.ask('PATCH', `/v1/habits/${id}`, { token: eva.person.token, body });
    await accounts.ask('POST', `/v1/habits/${gone}/archive`, { token: eva.person.token });
    for (const [place, id] of [off, open].entries()) expect((await change(id, { order: place - 5 })).status).toBe(200);

    const { status, body } = await showToday(eva);
    expect([status, body.date]).toEqual([200, '2026-01-31']);
    const row = (habit_id: string, habit: string, shown: object) => ({
      ...{ habit_id, habit, credit: 0, target: 7, done_this_week: 1, current_streak: 0 },
      ...{ streak_unit: 'day', at_risk: false, ...shown },
    });
    expect(body.habits).toEqual([
      row(off, 'Off', { state: 'off', target: 5 }),
      row(open, 'Open', { state: 'open_week', target: 3, current_streak: 1, streak_unit: 'week', at_risk: true }),
      row(due, 'Due', { state: 'due', done_this_week: 2, current_streak: 2, at_risk: true }),
      row(done, 'Done', { state: 'kept', credit: 1, done_this_week: 3, current_streak: 3 }),
      row(excused, 'Excused', { state: 'excused', done_this_week: 2, current_streak: 2 }),
    ]);
    const friday = read((await showToday(eva, '?date=2026-01-30')).body);
    expect(friday.map(({ habit, state }) => `${String(habit)} ${String(state)}`)).toEqual([
      'Off missed',
      'Open open_week',
      'Due kept',
      'Done kept',
      'Excused kept',
    ]);
  });

  it('is the day where the person is, and costs no analysis', async () => {
    const eva = await AnalysesOf.somebody(accounts, { timezone: 'Pacific/Kiritimati' });
    expect((await showToday(eva)).body).toEqual({ date: '2026-02-01', habits: [] });
    expect((await eva.usage()).used).toBe(0);
  });

  it.each([
    ['?date=2026-02-30', '/date bad_format'],
    ['?date=2026-02-02', '/date out_of_range'],
    ['?date=1999-12-31', '/date out_of_range'],
  ])('refuses %s', async (query, issue) => {
    const { status, body } = await showToday(ana, query);
    const { issues } = body.details as { issues: { path: string; code: string }[] };
    expect([status, ...issues.map(({ path, code }) => `${path} ${code}`)]).toEqual([400, issue]);
  });
});

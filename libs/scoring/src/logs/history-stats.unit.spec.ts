import { type HabitHistory, historyDay, historyStats, type StatsRange } from '../index';
import { logsOf } from './calendar.fixture';

const MONDAY = '2026-01-05';
const SUNDAY = '2026-01-18';

function statsOf(letters: string, habit: Partial<HabitHistory> = {}, range: Partial<StatsRange> = {}) {
  const history = { name: 'Run', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit };
  return historyStats(history, { from: MONDAY, to: SUNDAY, today: SUNDAY, ...range });
}

/** As the calendar of a habit is read: one letter a state. */
const read = (days: readonly { state: string; credit: number }[]) =>
  days.map(({ state, credit }) => `${state[0]}${credit}`).join(' ');

describe('the statistics of a habit', () => {
  it('of fixed days: what became of each, and nothing for work on a day that is not due', () => {
    const stats = statsOf('dd..p.. s......', { targetDaysMask: 0b10101 });
    expect(read(stats.days)).toBe('k1 o0 m0 o0 k0.5 o0 o0 e0 o0 m0 o0 m0 o0 o0');
    expect(stats).toMatchObject({ habit: 'Run', from: MONDAY, to: SUNDAY, streak_unit: 'day' });
    expect(stats.strength.map(({ date }) => date)).toEqual(['2026-01-11', SUNDAY]);
    expect(statsOf('dd', {}, { today: '2026-01-13' }).strength.at(-1)!.date).toBe('2026-01-13');
    expect(stats).not.toHaveProperty('weeks');
  });

  it('of a weekly target: the days with credit, and what became of each week', () => {
    const stats = statsOf('....d.. dd..d.. d.', { targetPerWeek: 3, startDate: '2026-01-08' }, { to: '2026-01-27' });
    expect(read(stats.days.slice(0, 14))).toBe('o0 o0 o0 o0 k1 o0 o0 k1 k1 o0 o0 k1 o0 o0');
    expect(stats.weeks).toEqual([
      // The first, partial week counts only when met.
      { start: MONDAY, state: 'off', credit: 1, target: 3 },
      { start: '2026-01-12', state: 'kept', credit: 3, target: 3 },
      // After the evaluation day.
      { start: '2026-01-19', state: 'off', credit: 0, target: 3 },
      { start: '2026-01-26', state: 'off', credit: 0, target: 3 },
    ]);
    expect(stats.streaks).toMatchObject({ current: 1, best: 1, best_from: '2026-01-12', best_to: SUNDAY });
  });

  it('lays the best run of weeks on days of the history', () => {
    const { streaks } = statsOf('....dd. dd', { targetPerWeek: 2, startDate: '2026-01-09' }, { today: '2026-01-14' });
    expect(streaks.list).toEqual([{ from: '2026-01-09', to: '2026-01-14', length: 2 }]);
  });

  it('lists the ten longest streaks, through skips, the longest and then the earliest first', () => {
    expect(statsOf('d.ddsd. .......').streaks.list).toEqual([
      { from: '2026-01-07', to: '2026-01-10', length: 3 },
      { from: MONDAY, to: MONDAY, length: 1 },
    ]);
    const many = statsOf('d.d.d.d.d.d.d.d.d.d.d.d.d.d', {}, { today: '2026-01-31' }).streaks.list;
    expect(many.map(({ from }) => from).slice(0, 2)).toEqual([MONDAY, '2026-01-07']);
    expect(many).toHaveLength(10);
  });

  it('rates a weekday from four counted days on', () => {
    const letters = 'd...... p...... d...... .......';
    const { weekdays } = statsOf(letters, { targetDaysMask: 0b11 }, { to: '2026-02-01', today: '2026-01-27' });
    expect(weekdays).toEqual([
      { weekday: 1, completion_rate: 0.625, n: 4 },
      { weekday: 2, completion_rate: null, n: 3 },
      ...[3, 4, 5, 6, 7].map((weekday) => ({ weekday, completion_rate: null, n: 0 })),
    ]);
  });

  it('rates a weekday of half its days 0.5, also where a day has two sessions', () => {
    const logs = logsOf('d...... ....... d...... .......', MONDAY).flatMap((log) => [log, log]);
    const { weekdays } = statsOf('', { targetPerWeek: 14, logs }, { to: '2026-02-01', today: '2026-02-01' });
    expect(weekdays[0]).toEqual({ weekday: 1, completion_rate: 0.5, n: 4 });
  });

  it('of a habit without a log, and before a habit began', () => {
    const empty = statsOf('', { startDate: SUNDAY }, { from: '2026-01-17' });
    expect(read(empty.days)).toBe('o0 p0');
    expect(empty.streaks).toEqual({ current: 0, best: 0, best_from: null, best_to: null, list: [] });
    expect(empty.strength).toEqual([{ date: SUNDAY, value: 0 }]);
    expect(statsOf('', { startDate: SUNDAY }, { to: '2026-01-10' }).strength).toEqual([]);
  });

  it('refuses what is no date', () => {
    expect(() => statsOf('d', {}, { from: '2026-02-30' })).toThrow(RangeError);
  });
});

describe('a habit on one day', () => {
  const WEEKDAYS = { targetDaysMask: 0b11111 };
  const TWICE = { targetPerWeek: 2 };

  it.each<[what: string, letters: string, Partial<HabitHistory>, date: string, expected: object]>([
    ['due, and its streak ends without it', 'dd', WEEKDAYS, '2026-01-07', { state: 'due', at_risk: true }],
    ['done', 'ddd', WEEKDAYS, '2026-01-07', { state: 'kept', credit: 1, done_this_week: 3, at_risk: false }],
    ['skipped', 'dds', WEEKDAYS, '2026-01-07', { state: 'excused', current_streak: 2, at_risk: false }],
    ['due, with no streak to lose', 'dd.', WEEKDAYS, '2026-01-08', { state: 'due', at_risk: false }],
    ['not due', 'dd', WEEKDAYS, '2026-01-10', { state: 'off', target: 5, done_this_week: 2, at_risk: false }],
    ['not begun', '', WEEKDAYS, '2026-01-02', { state: 'off', done_this_week: 0 }],
    ['in an open week', 'dd..... d', TWICE, '2026-01-13', { state: 'open_week', done_this_week: 1, at_risk: false }],
    ['the last of an open week', 'dd..... d', TWICE, SUNDAY, { state: 'open_week', current_streak: 1, at_risk: true }],
    ['done, in a week that is lost', 'dd..... ......d', TWICE, SUNDAY, { credit: 1, at_risk: false }],
    ['not enough for its week', 'dd', TWICE, SUNDAY, { state: 'open_week', current_streak: 1, at_risk: false }],
    ['in a met week', 'dd..... d.d', TWICE, '2026-01-14', { state: 'kept', done_this_week: 2, current_streak: 2 }],
    ['in an excused week', 'dd..... s', TWICE, '2026-01-13', { state: 'excused', at_risk: false }],
    ['in an open first week', '', { targetPerWeek: 3, startDate: '2026-01-08' }, '2026-01-09', { state: 'open_week' }],
  ])('is %s', (_, letters, habit, date, expected) => {
    const history = { name: 'Run', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit };
    expect(historyDay(history, { date, today: date })).toMatchObject(expected);
  });

  it('is over when it is looked back at: missed and at no risk, or off in a first week', () => {
    const dayOf = (letters: string, habit: Partial<HabitHistory>, date: string) =>
      historyDay({ name: 'a', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit }, { date, today: SUNDAY });
    expect(dayOf('d.d', {}, '2026-01-06')).toMatchObject({ state: 'missed', at_risk: false });
    expect(dayOf('dd.....', { targetPerWeek: 3 }, MONDAY)).toMatchObject({ state: 'missed', credit: 1 });
    expect(dayOf('', { targetPerWeek: 3, startDate: '2026-01-08' }, '2026-01-09').state).toBe('off');
  });
});

import {
  analyzeLogs,
  type HabitHistory,
  type HabitLog,
  habitStats,
  historyDay,
  historyStats,
  type StatsRange,
} from '../index';
import { evaluateHistories } from '../logs/evaluate-histories';
import { criticalCorrelation, effectivePairs, fisherInterval } from '../logs/score-correlation';
import { round4 } from '../numbers';
import { logsOf } from './calendar.fixture';
import { NINETIETH_DAY, ninetyDays } from './published.fixture';

describe('two weeks of a daily habit', () => {
  const twoWeeks = 'dddmddmmdddddm';

  it.each([
    ['as it is', twoWeeks, '2026-03-16', 0.4158],
    ['one more done day', `${twoWeeks}d`, '2026-03-16', 0.3084],
    ['instead two more misses', `${twoWeeks}mm`, '2026-03-18', 0.6291],
    ['instead one skip', `${twoWeeks}s`, '2026-03-16', 0.4158],
  ])('%s', (_, letters, asOf, risk) => {
    const habit = { name: 'a', startDate: '2026-03-02', logs: logsOf(letters, '2026-03-02') };
    // A day without a log is a miss once it is past: a missed last day is looked at from the day after.
    expect(analyzeLogs({ habits: [habit], asOf }).habits[0]!.metrics.lapse_risk).toBe(risk);
  });
});

it('gives the published stats of the 90-day history', () => {
  expect(JSON.stringify(habitStats(ninetyDays, NINETIETH_DAY))).toBe(
    '{"completionRate":0.8315,"currentStreak":9,"bestStreak":21,"streakUnit":"day","strength":0.8339,"skipBudgetRemaining":21}',
  );
});

describe('significance of a correlation of 0.42 with autocorrelations 0.3 and 0.4', () => {
  it('does not reach it with 24 days', () => {
    const pairs = effectivePairs(24, 0.3, 0.4);
    expect([round4(pairs), round4(criticalCorrelation(pairs))]).toEqual([18.8571, 0.4572]);
  });

  it('reaches it with 40 days', () => {
    const pairs = effectivePairs(40, 0.3, 0.4);
    const { low, high } = fisherInterval(0.42, pairs);
    expect([round4(pairs), round4(criticalCorrelation(pairs))]).toEqual([31.4286, 0.3526]);
    expect([round4(low), round4(high)]).toEqual([0.0799, 0.6725]);
  });
});

interface Case {
  /** d done, s skipped, a digit that many sessions, anything else nothing. */
  readonly letters: string;
  readonly startDate: string;
  readonly target: number;
}

const onceAWeek: Case = { target: 1, startDate: '2026-01-05', letters: 'd......'.repeat(20) };
const threeTimes: Case = { target: 3, startDate: '2026-03-05', letters: 'd.d. .d.d..d d..d... ddd.... .d.' };
const twoTimes: Case = { target: 2, startDate: '2026-03-02', letters: 'd..d... .d...d. ..s.... d......' };
const tenTimes: Case = { target: 10, startDate: '2026-03-02', letters: '22222.. 12.22..' };

describe('worked examples of week-type risk', () => {
  it.each([
    ['once a week, open on its usual day', onceAWeek, '', '2026-05-25', 0.1450381679, 'low'],
    ['once a week, done that day', onceAWeek, 'd', '2026-05-25', 0.0588235294, 'low'],
    ['once a week, nothing for three weeks', onceAWeek, '', '2026-06-15', 0.599884871, 'high'],
    ['three times a week, open on Monday', threeTimes, '', '2026-03-30', 0.2894013457, 'moderate'],
    ['three times a week, open on Thursday', threeTimes, '', '2026-04-02', 0.2447968688, 'low'],
    ['three times a week, done on Thursday', threeTimes, 'd', '2026-04-02', 0.1680306264, 'low'],
    ['three times a week, open on Friday', threeTimes, '', '2026-04-03', 0.308448764, 'moderate'],
    ['twice a week, third week excused, open on Sunday', twoTimes, '', '2026-03-29', 0.2737542853, 'moderate'],
    ['twice a week, third week excused, on Monday', twoTimes, '', '2026-03-30', 0.3809703957, 'moderate'],
    ['ten times a week, open', tenTimes, '', '2026-03-16', 0.3866504735, 'moderate'],
    ['ten times a week, one session', tenTimes, '1', '2026-03-16', 0.2373840679, 'low'],
    ['ten times a week, two sessions', tenTimes, '2', '2026-03-16', 0.2073237796, 'low'],
  ])('%s', (_, habit, more, asOf, risk, band) => {
    const { scored } = evaluated(habit, asOf, more);
    expect(scored.risk).toBeCloseTo(risk, 10);
    expect(scored.band).toBe(band);
  });

  it('is low throughout for a habit that is kept in the same way every week', () => {
    // All days in a row, then spread; the highest of all is .2168, for three and four times a week.
    const highest = [1, 2, 3, 4, 5, 6].map((target) => highestRisk(target, `${'d'.repeat(target)}.......`.slice(0, 7)));
    expect(Math.max(...highest)).toBe(0.2168);
    expect([highest[2], highest[3]]).toEqual([0.2168, 0.2168]);
    expect(highest[0]).toBe(0.145);
    expect(highestRisk(3, 'd.d.d..')).toBeLessThan(0.25);
  });

  it('rises to .60 to .85 in three empty weeks after twenty perfect ones', () => {
    const afterThree = [1, 2, 3, 4, 5, 6].map((target) => {
      const letters = `${'d'.repeat(target)}.......`.slice(0, 7).repeat(20);
      return evaluated({ target, startDate: '2026-01-05', letters }, '2026-06-15').scored.risk.toFixed(2);
    });
    expect(afterThree).toEqual(['0.60', '0.74', '0.80', '0.84', '0.85', '0.85']);
  });
});

describe('strength', () => {
  it('reads a history with an excused week exactly as the history without it', () => {
    const kept = 'd.d.d..';
    const excused = { target: 3, startDate: '2026-01-05', letters: `${kept.repeat(20)}s......${kept}` };
    const without = { ...excused, letters: kept.repeat(21) };
    const strengths = [evaluated(excused, '2026-06-07'), evaluated(without, '2026-05-31')].map(
      ({ record }) => record.strength,
    );
    expect(strengths[0]).toBeCloseTo(0.9934268784, 10);
    expect(strengths[0]).toBe(strengths[1]);
  });
});

function evaluated({ letters, startDate, target }: Case, asOf: string, more = '') {
  const habit = { name: 'a', startDate, targetPerWeek: target, logs: sessions(letters, startDate, asOf, more) };
  return evaluateHistories({ habits: [habit], asOf })[0]!;
}

/** @param more letters of the evaluation day */
function sessions(letters: string, startDate: string, asOf: string, more: string): HabitLog[] {
  const plain = letters.replaceAll(' ', '');
  const done = [...plain].flatMap((letter, i) =>
    Array.from({ length: Number(letter) || 0 }, () => logsOf(`${'.'.repeat(i)}d`, startDate)).flat(),
  );
  const today = logsOf('d'.repeat(more === '' ? 0 : 1), asOf);
  return [...logsOf(plain, startDate), ...done, ...(more === '2' ? [...today, ...today] : today)];
}

/** On every day of ten weeks, from the end of the first one on, before the session of that day. */
function highestRisk(target: number, week: string): number {
  let highest = 0;
  for (let days = 7; days < 70; days++) {
    const letters = week.repeat(10).slice(0, days);
    const startDate = '2026-01-05';
    const asOf = logsOf(`${'.'.repeat(days)}d`, startDate)[0]!.localDate;
    const habits = [{ name: 'a', startDate, targetPerWeek: target, logs: logsOf(letters, startDate) }];
    highest = Math.max(highest, analyzeLogs({ habits, asOf }).habits[0]!.metrics.lapse_risk ?? 0);
  }
  return highest;
}

describe('statistics', () => {
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
      expect(stats).not.toHaveProperty('weeks');
      expect(stats.streaks).toMatchObject({ current: 0, best: 1, best_from: MONDAY, best_to: MONDAY });
    });

    it('of a weekly target: the days with credit, and what became of each week', () => {
      const stats = statsOf('....d.. dd..d.. d.', { targetPerWeek: 3, startDate: '2026-01-08' }, { to: '2026-01-27' });
      expect(stats.streak_unit).toBe('week');
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

    it('has missed, excused and running weeks', () => {
      const letters = 'dd..... s...... d...... d......';
      const stats = statsOf(letters, { targetPerWeek: 2 }, { to: '2026-01-27', today: '2026-01-27' });
      expect(stats.weeks!.map(({ state }) => state)).toEqual(['kept', 'excused', 'missed', 'pending']);
    });

    it('lays the best run of weeks on days of the history', () => {
      const met = { targetPerWeek: 2, startDate: '2026-01-09' };
      expect(statsOf('....dd. dd', met, { today: '2026-01-14' }).streaks).toEqual({
        current: 2,
        best: 2,
        best_from: '2026-01-09',
        best_to: '2026-01-14',
        list: [{ from: '2026-01-09', to: '2026-01-14', length: 2 }],
      });
    });

    it('takes the earliest of several best runs', () => {
      const { streaks } = statsOf('dd.dd..');
      expect(streaks).toMatchObject({ current: 0, best: 2, best_from: MONDAY, best_to: '2026-01-06' });
    });

    it('lists the ten longest streaks, through skips, the longest and then the earliest first', () => {
      const { list } = statsOf('d.ddsd. .......').streaks;
      expect(list).toEqual([
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

    it('has one strength a week, by the week of the person, and that of the last day', () => {
      const dates = (range: Partial<StatsRange>) => statsOf('ddddddd dddd', {}, range).strength.map(({ date }) => date);
      expect(dates({ to: '2026-01-15' })).toEqual(['2026-01-11', '2026-01-15']);
      expect(dates({ weekStart: 'SUNDAY' })).toEqual(['2026-01-10', '2026-01-17', SUNDAY]);
      expect(dates({ from: '2026-01-12' })).toEqual([SUNDAY]);
      expect(statsOf('d').strength[0]).toEqual({ date: '2026-01-11', value: 0.0377 });
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
    const dayOf = (letters: string, habit: Partial<HabitHistory>, date: string, today = date) =>
      historyDay({ name: 'Run', startDate: MONDAY, logs: logsOf(letters, MONDAY), ...habit }, { date, today });

    it.each([
      ['due, and its streak ends without it', 'dd', '2026-01-07', { state: 'due', current_streak: 2, at_risk: true }],
      ['done', 'ddd', '2026-01-07', { state: 'kept', credit: 1, done_this_week: 3, at_risk: false }],
      ['skipped', 'dds', '2026-01-07', { state: 'excused', current_streak: 2, at_risk: false }],
      ['due, with no streak to lose', 'dd.', '2026-01-08', { state: 'due', current_streak: 0, at_risk: false }],
      ['not due', 'dd', '2026-01-10', { state: 'off', target: 5, done_this_week: 2, at_risk: false }],
      ['not begun', '', '2026-01-02', { state: 'off', done_this_week: 0 }],
    ])('is %s', (_, letters, date, expected) => {
      expect(dayOf(letters, { targetDaysMask: 0b11111 }, date)).toMatchObject({ streak_unit: 'day', ...expected });
    });

    it.each([
      ['open', 'dd..... d', '2026-01-13', { state: 'open_week', done_this_week: 1, credit: 0, at_risk: false }],
      ['open for the last time', 'dd..... d', SUNDAY, { state: 'open_week', current_streak: 1, at_risk: true }],
      ['met', 'dd..... d.d', '2026-01-14', { state: 'kept', credit: 1, done_this_week: 2, current_streak: 2 }],
      ['excused', 'dd..... s', '2026-01-13', { state: 'excused', at_risk: false }],
    ])('of a week is %s', (_, letters, date, expected) => {
      expect(dayOf(letters, { targetPerWeek: 2 }, date)).toMatchObject({ streak_unit: 'week', target: 2, ...expected });
    });

    it('has an open first week, which is not missed when it ends', () => {
      const habit = { targetPerWeek: 3, startDate: '2026-01-08' };
      expect(dayOf('', habit, '2026-01-09').state).toBe('open_week');
      expect(dayOf('', habit, '2026-01-09', SUNDAY).state).toBe('off');
    });

    it('is over when it is looked back at: missed, and at no risk', () => {
      expect(dayOf('d.d', {}, '2026-01-06', '2026-01-07')).toMatchObject({ state: 'missed', at_risk: false });
      expect(dayOf('dd.....', { targetPerWeek: 3 }, MONDAY, SUNDAY)).toMatchObject({ state: 'missed', credit: 1 });
    });
  });
});

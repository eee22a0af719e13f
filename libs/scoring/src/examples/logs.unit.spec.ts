import { analyzeLogs, type HabitLog, habitStats } from '../index';
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

import { analyzeLogs, type HabitLog, habitStats, insightsFromLogs, planFromLogs, recommendFromLogs } from '../index';
import { evaluateHistories } from '../logs/evaluate-histories';
import { criticalCorrelation, effectivePairs, fisherInterval } from '../logs/score-correlation';
import { round4 } from '../numbers';
import { logsOf } from './calendar.fixture';
import { diary, NINETIETH_DAY, ninetyDays } from './published.fixture';

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

describe('the 90-day history', () => {
  const asOf = NINETIETH_DAY;
  const request = { habits: [ninetyDays], otherHabits: [diary], asOf };

  it('gives the published analysis of a Free user', () => {
    const { period, ...answer } = analyzeLogs({ ...request, correlations: 'withheld' });
    expect(period).toEqual({ from: '2025-11-03', to: '2026-01-31', days: 90 });
    expect(JSON.stringify(answer)).toBe(JSON.stringify(JSON.parse(PUBLISHED)));
  });

  it('adds the published correlation for Premium', () => {
    const { metrics } = analyzeLogs(request).habits[0]!;
    expect(JSON.stringify(metrics)).toBe(
      JSON.stringify({
        ...analyzeLogs({ ...request, correlations: 'withheld' }).habits[0]!.metrics,
        mood_correlation: {
          coefficient: 0.418,
          n: 29,
          n_eff: 27.9161,
          interval: { low: 0.0526, high: 0.6847, level: 0.95 },
          strength: 'possible',
          direction: 'positive',
        },
        correlation_notes: { energy: 'too_few_days', stress: 'too_few_days' },
      }),
    );
    expect(round4(criticalCorrelation(27.9161))).toBe(0.3744);
  });

  it('gives the published stats of the habit record', () => {
    expect(JSON.stringify(habitStats(ninetyDays, asOf))).toBe(
      '{"completionRate":0.8315,"currentStreak":9,"bestStreak":21,"streakUnit":"day","strength":0.8339,"skipBudgetRemaining":21}',
    );
  });

  it('gives the published insight first', () => {
    expect(insightsFromLogs(request)[0]).toEqual({
      index: 0,
      habit: 'Morning run',
      kind: 'streak',
      code: 'strong_streak',
      severity: 'info',
      title: 'Strong streak',
      body: '9 days in a row, 83% completed.',
      evidence: { current_streak: 9, best_streak: 21 },
      free_readable: true,
    });
  });

  it('keeps only correlations from Free readers', () => {
    const readable = insightsFromLogs(request).map(({ code, free_readable }) => [code, free_readable]);
    expect(readable).toEqual([
      ['strong_streak', true],
      ['mood_link', false],
    ]);
    expect(insightsFromLogs({ ...request, correlations: 'withheld' }).map(({ code }) => code)).toEqual([
      'strong_streak',
    ]);
  });

  it('recommends and plans from tomorrow', () => {
    expect(recommendFromLogs(request).recommendations[0]).toMatchObject({ code: 'maintain', priority: 0.1985 });
    const plan = planFromLogs(request);
    expect(plan).toMatchObject({ horizon_days: 35, starts_on: '2026-02-01', ends_on: '2026-03-07' });
    expect(plan.plan[0]!.weeks[0]).toEqual({
      week: 1,
      start_day: 1,
      days: 7,
      target_rate: 0.8484,
      target_sessions: 6,
      start_date: '2026-02-01',
      end_date: '2026-02-07',
      dates: ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04', '2026-02-05', '2026-02-06'],
    });
  });
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

const PUBLISHED = `{
  "habits": [
    {
      "habit": "Morning run",
      "metrics": {
        "evidence": "logs", "completion_rate": 0.8315, "occasions": 89, "excused": 1, "skip_budget_remaining": 21, "adherence": 0.8315, "expected_adherence": 0.8271, "consistency": 0.7873, "momentum": 0.6923,
        "lapse_risk": 0.1729, "band": "low", "priority": 0.1985, "drivers": ["low_completion"], "strength": 0.8339, "current_streak": 9, "best_streak": 21, "streak_unit": "day",
        "average_mood": 6.75, "average_energy": null, "average_stress": null, "energy_trend": null, "best_weekday": null, "worst_weekday": null, "previous_period": null
      }
    }
  ],
  "aggregate_summary": {"habit_count": 1, "left_out": 0, "horizon_days": 35, "mean_adherence": 0.8315, "mean_consistency": 0.7873, "mean_momentum": 0.6923, "mean_lapse_risk": 0.1729, "bands": {"low": 1, "moderate": 0, "high": 0}, "highest_risk": {"habit": "Morning run", "lapse_risk": 0.1729, "band": "low"}},
  "highlights": ["Morning run: 9 days in a row, 83% completed."],
  "watchouts": [],
  "recommendations": ["Morning run: Keep the schedule as it is."]
}`;

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

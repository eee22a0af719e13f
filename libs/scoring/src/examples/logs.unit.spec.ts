import { analyzeLogs, habitStats, insightsFromLogs, planFromLogs, recommendFromLogs } from '../index';
import { criticalCorrelation, effectivePairs, fisherInterval } from '../logs/correlation-significance';
import { round4 } from '../numbers/round4';
import { logsOf } from './calendar.fixture';
import { diary, NINETIETH_DAY, ninetyDays } from './ninety-days.fixture';

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
      body: '9 in a row, 83% completed.',
      evidence: { current_streak: 9, best_streak: 21 },
      free_readable: true,
    });
  });

  it('keeps only correlations from Free readers', () => {
    const readable = insightsFromLogs(request).map(({ code, free_readable }) => [code, free_readable]);
    expect(readable).toEqual([
      ['strong_streak', true],
      ['best_weekday', true],
      ['mood_link', false],
    ]);
    expect(insightsFromLogs({ ...request, correlations: 'withheld' }).map(({ code }) => code)).toEqual([
      'strong_streak',
      'best_weekday',
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
        "average_mood": 6.75, "average_energy": null, "average_stress": null, "energy_trend": null, "best_weekday": {"weekday": 6, "completion_rate": 1, "n": 13}, "previous_period": null
      }
    }
  ],
  "aggregate_summary": {"habit_count": 1, "left_out": 0, "horizon_days": 35, "mean_adherence": 0.8315, "mean_consistency": 0.7873, "mean_momentum": 0.6923, "mean_lapse_risk": 0.1729, "bands": {"low": 1, "moderate": 0, "high": 0}, "highest_risk": {"habit": "Morning run", "lapse_risk": 0.1729, "band": "low"}},
  "highlights": ["Morning run: 9 in a row, 83% completed."],
  "watchouts": [],
  "recommendations": ["Morning run: Keep the schedule as it is."]
}`;

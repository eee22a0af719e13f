import { logsOf, moodsOf } from './calendar.fixture';
import { analyzeLogs, type HabitHistory, recommendFromLogs } from '../index';
import { civilDate, dayNumber } from './civil-days';
import type { HabitLog } from './habit-history';
import { correlateScores } from './score-correlation';

const zip = (pairs: readonly (readonly [number, number])[]) => ({
  completion: pairs.map(([completion]) => completion),
  score: pairs.map(([, score]) => score),
});
const repeat = (times: number, ...pairs: (readonly [number, number])[]) =>
  zip(Array.from({ length: times }, () => pairs).flat());

describe('correlateScores', () => {
  it('needs 14 days', () => {
    const thirteen = zip(Array.from({ length: 13 }, (_, i) => [i % 2, 1 + (i % 2)]));
    expect(correlateScores(thirteen)).toEqual({ reason: 'too_few_days', n: 13 });
    expect(correlateScores(repeat(7, [0, 1], [1, 2]))).not.toMatchObject({ reason: 'too_few_days' });
  });

  it('needs three kept and three missed days, and a score that varies', () => {
    const twoMissed = zip(Array.from({ length: 20 }, (_, i) => [i < 2 ? 0 : 1, i % 5]));
    expect(correlateScores(twoMissed)).toEqual({ reason: 'no_variation', kept: 18, missed: 2, constantScore: false });
    const flat = repeat(7, [0, 16 / 3], [1, 16 / 3]);
    expect(correlateScores(flat)).toEqual({ reason: 'no_variation', kept: 7, missed: 7, constantScore: true });
  });

  it('tells nothing that chance explains', () => {
    const unrelated = repeat(4, [0, 3], [1, 3], [0, 7], [1, 7]);
    expect(correlateScores(unrelated)).toMatchObject({ reason: 'not_significant' });
    // r is 0.3, and 0.44 would be significant.
    const weaklyRelated = repeat(5, [0, 4], [0, 6], [1, 6], [1, 5]);
    expect(correlateScores(weaklyRelated)).toEqual({ reason: 'not_significant', n_eff: 20, r_crit: 0.4437 });
  });

  it('counts days that resemble the day before as fewer', () => {
    // Two long halves: both series have an autocorrelation of 3.25/4, so 16 pairs are worth three.
    const halves = zip(Array.from({ length: 16 }, (_, i) => (i < 8 ? [0, 2] : [1, 8])));
    expect(correlateScores(halves)).toEqual({ reason: 'not_significant', n_eff: 3.2753, r_crit: null });
  });

  it('tells direction, strength and interval', () => {
    const against = repeat(6, [0, 9], [1, 3], [1, 2]);
    expect(correlateScores(against)).toEqual({
      coefficient: -0.9912,
      n: 18,
      n_eff: 12.1922,
      interval: { low: -0.9976, high: -0.9685, level: 0.95 },
      strength: 'clear',
      direction: 'negative',
    });
  });
});

describe('pairs', () => {
  const first = '2026-01-05';
  const request = {
    habits: [{ name: 'a', startDate: first, logs: logsOf('ddmmdmdd dmmdmmmd', first) }],
    otherHabits: [{ name: 'b', startDate: first, logs: moodsOf('87217298 71381237', first) }],
    asOf: '2026-01-21',
  };
  const moodOf = (changed: Partial<typeof request> & { windowDays?: number }) =>
    analyzeLogs({ ...request, ...changed }).habits[0]!.metrics;

  it('join the completion of a habit with the scores of all habits', () => {
    expect(moodOf({}).mood_correlation).toMatchObject({ n: 16, direction: 'positive', strength: 'clear' });
    expect(moodOf({ otherHabits: [] }).correlation_notes).toMatchObject({ mood: 'too_few_days' });
  });

  it('lie in the window, and leave pending and excused days out', () => {
    expect(moodOf({ windowDays: 14 }).correlation_notes).toMatchObject({ mood: 'too_few_days' });
    const skipped = [{ ...request.habits[0]!, logs: logsOf('ddmmdmdd dmsdmmmd', first) }];
    expect(moodOf({ habits: skipped }).mood_correlation).toMatchObject({ n: 15 });
    expect(moodOf({ asOf: '2026-01-19' }).mood_correlation).toMatchObject({ n: 14 });
  });
});

// Low moods on most days, lower still on the missed ones.
const first = '2026-01-05';
const letters = 'dddm dddm dddm dddm dddm dddm ddd'.replaceAll(' ', '');
const missed = letters.replaceAll('d', '.').replaceAll('m', 'd');
const withMood = (name: string, days: string, moodScore: number): HabitHistory => {
  return { name, startDate: first, logs: logsOf(days, first).map((log) => ({ ...log, moodScore })) };
};
const habits = [withMood('Run', letters, 4)];
const request = { habits, otherHabits: [withMood('Diary', missed, 1)], asOf: '2026-01-31' };

describe('withheld correlations', () => {
  it('are shown to Premium, with the action that speaks of them', () => {
    expect(analyzeLogs(request).habits[0]!.metrics).toMatchObject({ mood_correlation: { coefficient: 1 } });
    expect(recommendFromLogs(request).recommendations[0]).toMatchObject({
      code: 'support_mood',
      rationale: expect.stringContaining('Average mood 4, mood correlation 1.'),
    });
  });

  it('are absent otherwise, and the next rule gives the action', () => {
    const withheld = { ...request, correlations: 'withheld' as const };
    const { metrics } = analyzeLogs(withheld).habits[0]!;
    expect(Object.keys(metrics).filter((member) => member.includes('correlation'))).toEqual([]);
    expect(recommendFromLogs(withheld).recommendations[0]).toMatchObject({ code: 'maintain' });
    expect(JSON.stringify(recommendFromLogs(withheld))).not.toContain('orrelation');
  });
});

describe('the trend of a score', () => {
  const FIRST = dayNumber('2026-01-05');

  function trendOf(scores: readonly (number | null)[], daysLater = 0) {
    // Two of a day: their mean may be a half.
    const logs = [Math.floor, Math.ceil].flatMap((rounded) =>
      scores.map((score, i): HabitLog => ({
        localDate: civilDate(FIRST + i),
        status: 'COMPLETED',
        energyScore: score === null ? null : rounded(score),
      })),
    );
    const habits = [{ name: 'a', startDate: civilDate(FIRST), logs }];
    return analyzeLogs({ habits, asOf: civilDate(FIRST + scores.length - 1 + daysLater) }).habits[0]!.metrics
      .energy_trend;
  }

  describe('energy trend', () => {
    it('needs ten days with a score', () => {
      expect(trendOf([1, 2, 3, 4, 5, 6, 7, 8, 9])).toBeNull();
      expect(trendOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toBe('rising');
      expect(trendOf([10, 9, null, 8, 7, 6, 5, 4, 3, 2, 1])).toBe('falling');
    });

    it('does not call ups and downs a trend', () => {
      expect(trendOf([5, 6, 5, 6, 5, 6, 5, 6, 5, 6])).toBe('stable');
      expect(trendOf(Array.from({ length: 12 }, () => 7))).toBe('stable');
    });

    it('takes equal scores for what they are: without the correction for ties it would miss this one', () => {
      expect(trendOf([3, 3, 3, 3, 3, 9, 6, 6, 3, 9])).toBe('rising');
    });

    it('does not call a significant change of less than a point a trend', () => {
      // Of every third day: half a point in 27 days.
      const thirds = [5, 5, 5, 5, 5, 5.5, 5.5, 5.5, 5.5, 5.5].flatMap((score) => [score, null, null]).slice(0, 28);
      expect(trendOf(thirds)).toBe('stable');
      // The median slope is 0: most pairs of days are equal.
      expect(trendOf([5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6])).toBe('stable');
    });

    it('calls a significant change of exactly one point a trend', () => {
      // Daily means from 5 to 6 in thirds: the median slope is 1/9, over 9 days 0.9999999999999991 in floating point.
      const logs = [15, 16, 16, 17, 18, 18, 18, 18, 18, 18].flatMap((sum, i) =>
        [4, 5, sum - 9].map((energyScore): HabitLog => ({
          localDate: civilDate(FIRST + i),
          status: 'COMPLETED',
          energyScore,
        })),
      );
      const habits = [{ name: 'a', startDate: civilDate(FIRST), logs }];
      expect(analyzeLogs({ habits, asOf: civilDate(FIRST + 9) }).habits[0]!.metrics.energy_trend).toBe('rising');
    });

    it('looks at the last 28 days', () => {
      const rise = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
      expect(trendOf(rise, 18)).toBe('rising');
      expect(trendOf(rise, 19)).toBeNull();
    });
  });
});

import { analyzeHabits, insightsForHabits, recommendForHabits, scoreHabit } from '../index';
import { morningRun, readTwentyMinutes } from './published.fixture';

const habits = [morningRun, readTwentyMinutes];
/** Compares texts, so the order of members counts. */
const bytes = (value: unknown) => JSON.stringify(value, null, 1);

describe('worked examples of habit scores', () => {
  const first = { name: 'a', completion_rate: 0.75, current_streak: 5, best_streak: 21 };
  const lowAndFalling = { average_mood: 3.5, mood_correlation: 0.6, energy_trend: 'falling' as const };

  it.each([
    [first, [0.2045, 'low', 0.7955, 0.5556, 0.7111, 0.2412]],
    [{ ...first, ...lowAndFalling }, [0.221, 'low', 0.7955, 0.5556, 0.7111, 0.2561]],
    [{ ...first, risk_score: 0.7 }, [0.3036, 'moderate', 0.7955, 0.5556, 0.7111, 0.3304]],
    [{ ...first, completion_rate: 0.4, current_streak: 0, best_streak: 6 }, [0.7143, 'high', 0.2857, 0, 0.3323, 0.689]],
    [
      { ...first, completion_rate: 0.97, current_streak: 0, best_streak: 41 },
      [0.3071, 'moderate', 0.6929, 0, 0.7528, 0.3618],
    ],
    [
      { ...first, completion_rate: 0.95, current_streak: 20, best_streak: 20 },
      [0.0481, 'low', 0.9519, 0.8333, 0.8848, 0.0433],
    ],
    [
      { ...first, completion_rate: 0.2, current_streak: 8, best_streak: 3 },
      [0.3571, 'moderate', 0.6429, 0.6667, 0.36, 0.3214],
    ],
  ])('%j', (summary, expected) => {
    const { lapseRisk, band, expectedAdherence, momentum, consistency, priority } = scoreHabit(summary);
    expect([lapseRisk, band, expectedAdherence, momentum, consistency, priority]).toEqual(expected);
  });
});

const aggregateSummary = {
  habit_count: 2,
  horizon_days: 35,
  mean_adherence: 0.64,
  mean_consistency: 0.5914,
  mean_momentum: 0.3462,
  mean_lapse_risk: 0.4061,
  bands: { low: 1, moderate: 0, high: 1 },
  highest_risk: { habit: 'Read 20 minutes', lapse_risk: 0.6913, band: 'high' },
  per_habit: [
    {
      index: 0,
      habit: 'Morning run',
      adherence: 0.82,
      expected_adherence: 0.8733,
      consistency: 0.7805,
      momentum: 0.6923,
      lapse_risk: 0.1209,
      band: 'low',
      priority: 0.1516,
      drivers: ['low_completion'],
    },
    {
      index: 1,
      habit: 'Read 20 minutes',
      adherence: 0.46,
      expected_adherence: 0.3286,
      consistency: 0.4023,
      momentum: 0,
      lapse_risk: 0.6913,
      band: 'high',
      priority: 0.6853,
      drivers: ['low_completion', 'zero_streak', 'falling_energy'],
    },
  ],
};

const lists = {
  highlights: ['Morning run: 9 in a row, 82% completed.'],
  watchouts: [
    'Read 20 minutes: lapse risk 69% (high).',
    'Read 20 minutes: a best streak of 12 is broken.',
    'Read 20 minutes: energy is falling.',
  ],
  recommendations: [
    'Read 20 minutes: Restart with the smallest version today.',
    'Morning run: Keep the schedule as it is.',
  ],
};

describe('published answers', () => {
  it('analyze', () => {
    expect(bytes(analyzeHabits({ habits }))).toBe(bytes({ aggregate_summary: aggregateSummary, ...lists }));
  });

  it('insights', () => {
    const expected = {
      summary: aggregateSummary,
      aggregate_summary: aggregateSummary,
      ...lists,
      patterns: [
        {
          code: 'broken_streak',
          index: 1,
          habit: 'Read 20 minutes',
          statement: 'A best streak of 12 is broken.',
          evidence: { current_streak: 0, best_streak: 12 },
        },
        {
          code: 'falling_energy',
          index: 1,
          habit: 'Read 20 minutes',
          statement: 'Energy is falling.',
          evidence: { energy_trend: 'falling' },
        },
        {
          code: 'strong_streak',
          index: 0,
          habit: 'Morning run',
          statement: '9 in a row.',
          evidence: { current_streak: 9, momentum: 0.6923 },
        },
        {
          code: 'rising_energy',
          index: 0,
          habit: 'Morning run',
          statement: 'Energy is rising.',
          evidence: { energy_trend: 'rising' },
        },
        {
          code: 'mood_link',
          index: 0,
          habit: 'Morning run',
          statement: 'Completion may move together with mood (0.41).',
          evidence: { mood_correlation: 0.41 },
        },
      ],
      correlations: [
        {
          index: 0,
          habit: 'Morning run',
          variable: 'mood',
          coefficient: 0.41,
          strength: 'possible',
          direction: 'positive',
          source: 'caller',
        },
      ],
      risk_signals: [
        {
          index: 1,
          habit: 'Read 20 minutes',
          code: 'high_lapse_risk',
          band: 'high',
          value: 0.6913,
          drivers: ['low_completion', 'zero_streak', 'falling_energy'],
        },
      ],
    };
    expect(bytes(insightsForHabits({ habits }))).toBe(bytes(expected));
  });

  it('recommend', () => {
    const expected = {
      recommendations: [
        {
          habit: 'Read 20 minutes',
          action: 'Restart with the smallest version today.',
          rationale: 'Completed 46%, streak 0 of best 12, lapse risk 69%.',
          priority: 0.6853,
          index: 1,
          code: 'restart',
        },
        {
          habit: 'Morning run',
          action: 'Keep the schedule as it is.',
          rationale: 'Completed 82%, streak 9 of best 21, lapse risk 12%.',
          priority: 0.1516,
          index: 0,
          code: 'maintain',
        },
      ],
      generated_for_habits: 2,
    };
    expect(bytes(recommendForHabits({ habits }))).toBe(bytes(expected));
  });
});

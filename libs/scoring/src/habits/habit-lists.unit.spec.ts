import { strongestDrivers } from '../risk-formulas';
import { analyzeHabits } from './analyze-habits';
import { nextBestAction, recommendForHabits } from './habit-lists';
import { scoreHabit } from './score-habit';
import type { HabitSummary } from './scored-habit';

const steady: HabitSummary = { name: 'a', completion_rate: 0.8, current_streak: 5, best_streak: 5 };
const lowMood = { average_mood: 4.9, mood_correlation: 0.3 };

describe('nextBestAction', () => {
  it.each<[string, Partial<HabitSummary>]>([
    ['restart', { current_streak: 0, best_streak: 7 }],
    ['shrink', { current_streak: 0, best_streak: 6, completion_rate: 0.4 }],
    ['shrink', { completion_rate: 0.05, current_streak: 1, risk_score: 1, energy_trend: 'falling' }],
    ['restart', { completion_rate: 0.0499, current_streak: 1, risk_score: 1, energy_trend: 'falling' }],
    ['restart', { completion_rate: 0, current_streak: 0, best_streak: 0 }],
    ['reschedule', { energy_trend: 'falling', ...lowMood }],
    ['support_mood', { ...lowMood, completion_rate: 0.9, current_streak: 9 }],
    ['maintain', { ...lowMood, average_mood: 5 }],
    ['maintain', { ...lowMood, mood_correlation: 0.2999 }],
    ['maintain', { ...lowMood, mood_correlation: undefined }],
    ['progress', { completion_rate: 0.85, current_streak: 7 }],
    ['maintain', { completion_rate: 0.8499, current_streak: 7 }],
    ['maintain', { completion_rate: 0.9, current_streak: 6 }],
  ])('%s for %j', (action, summary) => {
    expect(nextBestAction(scoreHabit({ ...steady, ...summary }))).toBe(action);
  });

  it('goes by what is printed: 0.84996 is 85 %', () => {
    expect(nextBestAction(scoreHabit({ ...steady, completion_rate: 0.84996, current_streak: 8 }))).toBe('progress');
  });
});

describe('rationale', () => {
  it.each<[Partial<HabitSummary>, string]>([
    [{}, 'Completed 80%, streak 5 of best 5, lapse risk 18%.'],
    [{ energy_trend: 'falling' }, 'Completed 80%, streak 5 of best 5, lapse risk 19%. Energy is falling.'],
    [
      { average_mood: 4.25, mood_correlation: 0.456 },
      'Completed 80%, streak 5 of best 5, lapse risk 18%. Average mood 4.3, mood correlation 0.46.',
    ],
  ])('of %j', (summary, rationale) => {
    const { recommendations } = recommendForHabits({ habits: [{ ...steady, ...summary }] });
    expect(recommendations[0]!.rationale).toBe(rationale);
  });
});

const aHabit = (summary: Partial<HabitSummary>): HabitSummary => ({
  name: 'a',
  completion_rate: 0.8,
  current_streak: 5,
  best_streak: 5,
  ...summary,
});
const listsOf = (...habits: Partial<HabitSummary>[]) => analyzeHabits({ habits: habits.map(aHabit) });

describe('highlights', () => {
  it('names one thing per habit of the low band, the streak first', () => {
    expect(listsOf({ completion_rate: 0.9, current_streak: 6 }).highlights).toEqual(['a: 6 in a row, 90% completed.']);
    expect(listsOf({ completion_rate: 0.9, current_streak: 5 }).highlights).toEqual(['a: 90% completed.']);
    expect(listsOf({ completion_rate: 0.84, current_streak: 5 }).highlights).toEqual([]);
  });

  it('names nothing above the low band', () => {
    expect(listsOf({ completion_rate: 0.9, current_streak: 6, risk_score: 1 }).highlights).toEqual([]);
  });
});

describe('watchouts', () => {
  it('names all that hold, in the order of the table', () => {
    const { watchouts } = listsOf({ completion_rate: 0.1, current_streak: 0, best_streak: 7, energy_trend: 'falling' });
    expect(watchouts).toEqual([
      'a: lapse risk 93% (high).',
      'a: a best streak of 7 is broken.',
      'a: energy is falling.',
    ]);
  });

  it('leaves falling energy out of the low band', () => {
    expect(listsOf({ energy_trend: 'falling' }).watchouts).toEqual([]);
    expect(listsOf({ energy_trend: 'falling', risk_score: 1 }).watchouts).toEqual(['a: energy is falling.']);
  });
});

describe('aggregate', () => {
  it('takes the highest risk, not the first of the order', () => {
    const regained = { name: 'long lost', completion_rate: 0.5, current_streak: 0, best_streak: 500 };
    const riskier = { name: 'never begun', completion_rate: 0.47, current_streak: 0, best_streak: 0 };
    const { aggregate_summary, recommendations } = listsOf(regained, riskier);
    expect(recommendations[0]).toMatch(/^long lost/);
    expect(aggregate_summary.highest_risk).toEqual({ habit: 'never begun', lapse_risk: 0.6643, band: 'high' });
  });

  it('takes the first by the order rule among equal risks', () => {
    const regained = { name: 'z', completion_rate: 0.5, current_streak: 1, best_streak: 9 };
    const { aggregate_summary } = listsOf({ ...regained, name: 'a', best_streak: 1 }, regained, {
      ...regained,
      name: 'zz',
    });
    expect(aggregate_summary.highest_risk?.habit).toBe('z');
  });

  it('gives the horizon it was asked for', () => {
    expect(analyzeHabits({ habits: [aHabit({})], horizon_days: 90 }).aggregate_summary.horizon_days).toBe(90);
  });
});

const aMiddling = (summary: Partial<HabitSummary>) =>
  aHabit({ completion_rate: 0.5, current_streak: 1, best_streak: 1, ...summary });
const orderOf = (...habits: Partial<HabitSummary>[]) =>
  recommendForHabits({ habits: habits.map(aMiddling) }).recommendations.map(({ index }) => index);

describe('order rule', () => {
  it('puts the higher priority first', () => {
    expect(orderOf({ completion_rate: 0.9 }, { completion_rate: 0.1 }, { completion_rate: 0.5 })).toEqual([1, 2, 0]);
  });

  it('compares names by code unit, whatever a language would say', () => {
    expect(orderOf({ name: 'ä' }, { name: 'b' }, { name: 'B' }, { name: 'a' }, { name: '' })).toEqual([4, 2, 3, 1, 0]);
  });

  it('compares the JSON of items of equal name and priority, members in the order of the interface', () => {
    // 5.5 moves no risk, so the priority is the same; the absent member makes the shorter, earlier text.
    const moods = [{ average_mood: 5.5 }, {}, { average_mood: 5.5, mood_correlation: 0.5 }];
    expect(orderOf(...moods)).toEqual([2, 0, 1]);
    expect(orderOf({ energy_trend: 'stable' }, { average_mood: 5.5 })).toEqual([1, 0]);
  });

  it('does not look at metadata', () => {
    expect(orderOf({ metadata: { z: 1 } }, { metadata: { a: 1 } })).toEqual([0, 1]);
  });

  it('leaves equal items in input order', () => {
    expect(orderOf({}, {}, {})).toEqual([0, 1, 2]);
  });
});

describe('drivers', () => {
  it('are the three largest terms of at least 0.01, rounded, ties in the order of their codes', () => {
    const driversOf = (...terms: number[]) => strongestDrivers(['a', 'b', 'c', 'd', 'e'], terms).join('');
    expect(driversOf(0.3, 0.1, 0.2, 0, 0)).toBe('acb');
    expect(driversOf(0.1, 0.2, 0.3, 0.4, 0.5)).toBe('edc');
    expect(driversOf(0.1, 0.2, 0.1, 0.2, 0.1)).toBe('bda');
    expect(driversOf(0.100_04, 0.100_01, 0.100_02, 0, 0)).toBe('abc');
    expect(driversOf(0.009_949, 0.009_951, 0, -0.5, 0)).toBe('b');
    expect(driversOf(-1, 0, 0, 0, 0)).toBe('');
  });
});

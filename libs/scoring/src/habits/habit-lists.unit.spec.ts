import { strongestDrivers } from '../risk-formulas';
import { analyzeHabits } from './analyze-habits';
import { nextBestAction, recommendForHabits } from './habit-lists';
import { scoreHabit } from './score-habit';
import type { HabitSummary } from './scored-habit';

const steady: HabitSummary = { name: 'a', completion_rate: 0.8, current_streak: 5, best_streak: 5 };
const lowMood = { average_mood: 4.9, mood_correlation: 0.3 };

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
])('next best action: %s for %j', (action, summary) => {
  expect(nextBestAction(scoreHabit({ ...steady, ...summary }))).toBe(action);
});

describe('the habit of highest risk', () => {
  const highestOf = (habits: HabitSummary[]) => analyzeHabits({ habits }).aggregate_summary.highest_risk;

  it('is not the first of the order', () => {
    const regained = { name: 'long lost', completion_rate: 0.5, current_streak: 0, best_streak: 500 };
    const riskier = { name: 'never begun', completion_rate: 0.47, current_streak: 0, best_streak: 0 };
    expect(highestOf([regained, riskier])).toEqual({ habit: 'never begun', lapse_risk: 0.6643, band: 'high' });
  });

  it('is the first by the order rule among equal risks', () => {
    const regained = { name: 'z', completion_rate: 0.5, current_streak: 1, best_streak: 9 };
    const others = [{ ...regained, name: 'a', best_streak: 1 }, regained, { ...regained, name: 'zz' }];
    expect(highestOf(others)?.habit).toBe('z');
  });
});

const aMiddling = (summary: Partial<HabitSummary>): HabitSummary => ({
  name: 'a',
  completion_rate: 0.5,
  current_streak: 1,
  best_streak: 1,
  ...summary,
});
const orderOf = (...habits: Partial<HabitSummary>[]) =>
  recommendForHabits({ habits: habits.map(aMiddling) }).recommendations.map(({ index }) => index);

describe('order rule', () => {
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
});

it('drivers are the three largest terms of at least 0.01, rounded, ties in the order of their codes', () => {
  const driversOf = (...terms: number[]) => strongestDrivers(['a', 'b', 'c', 'd', 'e'], terms).join('');
  expect(driversOf(0.3, 0.1, 0.2, 0, 0)).toBe('acb');
  expect(driversOf(0.1, 0.2, 0.3, 0.4, 0.5)).toBe('edc');
  expect(driversOf(0.1, 0.2, 0.1, 0.2, 0.1)).toBe('bda');
  expect(driversOf(0.100_04, 0.100_01, 0.100_02, 0, 0)).toBe('abc');
  expect(driversOf(0.009_949, 0.009_951, 0, -0.5, 0)).toBe('b');
  expect(driversOf(-1, 0, 0, 0, 0)).toBe('');
});

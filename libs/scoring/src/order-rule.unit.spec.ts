import { recommendForHabits } from './habits/habit-lists';
import type { HabitSummary } from './habits/scored-habit';
import { strongestDrivers } from './risk-formulas';

const aHabit = (summary: Partial<HabitSummary>): HabitSummary => ({
  name: 'a',
  completion_rate: 0.5,
  current_streak: 1,
  best_streak: 1,
  ...summary,
});
const orderOf = (...habits: Partial<HabitSummary>[]) =>
  recommendForHabits({ habits: habits.map(aHabit) }).recommendations.map(({ index }) => index);

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

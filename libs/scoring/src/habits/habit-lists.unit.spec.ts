import { analyzeHabits } from './analyze-habits';
import type { HabitSummary } from './habit-summary';

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

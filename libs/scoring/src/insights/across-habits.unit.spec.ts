import type { HabitSummary } from '../habits/scored-habit';
import { insightsForHabits } from './insights-for-habits';

const aHabit = (summary: Partial<HabitSummary>, index = 0): HabitSummary => ({
  name: `habit ${index}`,
  completion_rate: 0.5,
  current_streak: 1,
  best_streak: 1,
  ...summary,
});
const insightsOf = (habits: Partial<HabitSummary>[]) => insightsForHabits({ habits: habits.map(aHabit) });
const acrossOf = (habits: Partial<HabitSummary>[]) => insightsOf(habits).patterns.filter(({ index }) => index === null);
const codesOf = (habits: Partial<HabitSummary>[]) => acrossOf(habits).map(({ code }) => code);

/** Rates that follow the moods; those of every second habit lag behind. */
function moods(n: number, lag = 0): Partial<HabitSummary>[] {
  return Array.from({ length: n }, (_, i) => ({
    average_mood: 1 + (9 * i) / n,
    completion_rate: (i % 2 === 0 ? i : Math.max(0, i - lag)) / n,
  }));
}

it('risk_concentration needs four habits', () => {
  expect(codesOf([{}, {}, {}])).toEqual([]);
  expect(codesOf([{}, {}, {}, {}])).toEqual(['risk_concentration']);
});

describe('mood_across_habits', () => {
  it('needs eight habits that carry a mood', () => {
    expect(codesOf([...moods(7), {}])).toEqual(['risk_concentration']);
    expect(codesOf(moods(8))).toEqual(['risk_concentration', 'mood_across_habits']);
  });

  it('says apart when they do', () => {
    const opposed = moods(8).map((habit) => ({ ...habit, completion_rate: 1 - habit.completion_rate! }));
    expect(acrossOf(opposed).at(-1)!.statement).toBe('Across 8 habits, completion and mood move apart (-1).');
  });

  it('is left out without variation', () => {
    expect(codesOf(Array.from({ length: 9 }, () => ({ average_mood: 5 })))).toEqual(['risk_concentration']);
  });

  it('goes by the critical value for that many habits', () => {
    // r is 0.65 over 9 habits, where 0.707 is needed, and 0.69 over 10, where 0.632 is.
    expect(codesOf(moods(9, 6))).toEqual(['risk_concentration']);
    expect(acrossOf(moods(10, 5)).at(-1)!.evidence).toEqual({ n: 10, coefficient: 0.6858 });
  });
});

it.each([
  [0.2999, undefined, undefined],
  [0.3, 'Completion may move together with mood (0.3).', 'possible'],
  [0.5, 'Completion moves together with mood (0.5).', 'clear'],
  [-0.4567, 'Completion may move against mood (-0.46).', 'possible'],
  [-1, 'Completion moves against mood (-1).', 'clear'],
])('mood_link of %d', (mood_correlation, statement, strength) => {
  const { patterns, correlations } = insightsOf([{ mood_correlation }]);
  expect(patterns.find(({ code }) => code === 'mood_link')?.statement).toBe(statement);
  expect(correlations[0]?.strength).toBe(strength);
});

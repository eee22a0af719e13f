import { scoreHabit } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aHabit } from './summaries.fixture';

describe('P6', () => {
  it('orders risk by energy trend: rising, stable, falling', () => {
    forEachOf(aHabit, (habit) => {
      const rising = scoreHabit({ ...habit, energy_trend: 'rising' }).risk;
      const stable = scoreHabit({ ...habit, energy_trend: 'stable' }).risk;
      const falling = scoreHabit({ ...habit, energy_trend: 'falling' }).risk;
      return rising <= stable && stable <= falling;
    });
  });

  it('lets mood and energy together move risk by at most 0.03', () => {
    forEachOf(aHabit, (habit) => {
      const neutral = { ...habit, average_mood: undefined, mood_correlation: undefined, energy_trend: undefined };
      return Math.abs(scoreHabit(habit).risk - scoreHabit(neutral).risk) <= 0.03 + 1e-12;
    });
  });
});

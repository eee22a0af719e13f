import fc from 'fast-check';
import { insightsForHabits, scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aCount, aHabit, aTask } from './summaries.fixture';

const streaksWithStaleBest = fc
  .tuple(aCount, aCount)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ current_streak: Math.max(a, b), best_streak: Math.min(a, b) }));

describe('P11', () => {
  it('scores a current streak above the best as the best', () => {
    forEachOf(fc.tuple(aHabit, streaksWithStaleBest), ([habit, streaks]) => {
      const answers = [streaks.best_streak, streaks.current_streak].map((best_streak) => {
        const habits = [{ ...habit, ...streaks, best_streak }];
        return JSON.stringify(insightsForHabits({ habits }));
      });
      return answers[0] === answers[1];
    });
  });

  it('does the same for tasks', () => {
    forEachOf(fc.tuple(aTask, streaksWithStaleBest), ([task, streaks]) => {
      const stale = scoreTask({ ...task, ...streaks });
      const repaired = scoreTask({ ...task, ...streaks, best_streak: streaks.current_streak });
      return JSON.stringify(stale) === JSON.stringify(repaired);
    });
  });
});

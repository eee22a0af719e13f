import fc from 'fast-check';
import { scoreHabit } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aCount, aHabit, aRatio } from './summaries.fixture';

describe('P3', () => {
  it('never raises lapse_risk and priority, nor lowers momentum and consistency, with completion_rate', () => {
    forEachOf(fc.tuple(aHabit, aRatio, aRatio), ([habit, a, b]) => {
      const worse = scoreHabit({ ...habit, completion_rate: Math.min(a, b) });
      const better = scoreHabit({ ...habit, completion_rate: Math.max(a, b) });
      return (
        better.lapseRisk <= worse.lapseRisk &&
        better.priority <= worse.priority &&
        better.momentum >= worse.momentum &&
        better.consistency >= worse.consistency
      );
    });
  });

  it('never raises lapse_risk, nor lowers momentum and consistency, with current_streak', () => {
    forEachOf(fc.tuple(aHabit, aCount, aCount), ([habit, a, b]) => {
      const shorter = scoreHabit({ ...habit, current_streak: Math.min(a, b) });
      const longer = scoreHabit({ ...habit, current_streak: Math.max(a, b) });
      return (
        longer.lapseRisk <= shorter.lapseRisk &&
        longer.momentum >= shorter.momentum &&
        longer.consistency >= shorter.consistency
      );
    });
  });
});

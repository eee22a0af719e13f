import fc from 'fast-check';
import { scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aRatio, aTask } from './summaries.fixture';

describe('P4', () => {
  it('never raises risk, severity, priority and burn rate, nor lowers bound and estimate, with success_rate', () => {
    forEachOf(fc.tuple(aTask, aRatio, aRatio), ([task, a, b]) => {
      const worse = scoreTask({ ...task, success_rate: Math.min(a, b) });
      const better = scoreTask({ ...task, success_rate: Math.max(a, b) });
      return (
        better.failure_risk <= worse.failure_risk &&
        better.severity <= worse.severity &&
        better.priority <= worse.priority &&
        better.burn_rate <= worse.burn_rate &&
        better.success_lower_bound >= worse.success_lower_bound &&
        better.success_estimate >= worse.success_estimate
      );
    });
  });
});

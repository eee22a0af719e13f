import fc from 'fast-check';
import { scoreTask } from '../index';
import { successEstimate } from '../tasks/success-estimate';
import { forEachOf } from './for-each-of.fixture';
import { aCount, aRatio, aTask } from './summaries.fixture';

describe('P9', () => {
  it('has no cliff between 9 and 10 runs: only `provisional` changes much', () => {
    forEachOf(aTask, (task) => {
      const nine = scoreTask({ ...task, runs: 9 });
      const ten = scoreTask({ ...task, runs: 10 });
      return (
        nine.provisional &&
        !ten.provisional &&
        Math.abs(nine.severity - ten.severity) < 0.1 &&
        Math.abs(nine.failure_risk - ten.failure_risk) < 0.05
      );
    });
  });

  it('moves the estimate from 0.9 to the success rate as runs grow', () => {
    forEachOf(fc.tuple(aRatio, aCount, aCount), ([rate, a, b]) => {
      const fewer = successEstimate(rate, Math.min(a, b, 1e9));
      const more = successEstimate(rate, Math.min(Math.max(a, b), 1e9));
      const toRate = (estimate: number) => Math.abs(estimate - rate);
      return (
        successEstimate(rate, 0) === 0.9 &&
        toRate(more) <= toRate(fewer) + 1e-12 &&
        (more - rate) * (0.9 - rate) >= -1e-12
      );
    });
  });
});

import fc from 'fast-check';
import { scoreHabit, scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aHabit, aRatio, aTask } from './summaries.fixture';

type RiskUnderPrior = (risk_score?: number) => number;

describe('P5', () => {
  it('lets a prior move the risk of a habit towards it, by at most 0.2', () => {
    forEachOf(fc.tuple(aHabit, aRatio, aRatio), ([habit, a, b]) =>
      isFairPool((risk_score) => scoreHabit({ ...habit, risk_score }).lapseRisk, a, b, 0.2, [0.01, 0.99]),
    );
  });

  it('lets a prior move the risk of a task towards it, by at most 0.3', () => {
    forEachOf(fc.tuple(aTask, aRatio, aRatio), ([task, a, b]) =>
      isFairPool((risk_score) => scoreTask({ ...task, risk_score }).failure_risk, a, b, 0.3, [0.0005, 0.99]),
    );
  });
});

function isFairPool(risk: RiskUnderPrior, a: number, b: number, mostShift: number, clamp: [number, number]): boolean {
  const computed = risk();
  const low = Math.min(a, b);
  const high = Math.max(a, b);
  const rounding = 0.000_051;
  const isBetween = (prior: number) => {
    const reached = Math.min(Math.max(prior, clamp[0]), clamp[1]);
    const pooled = risk(prior);
    return (
      pooled >= Math.min(computed, reached) - rounding &&
      pooled <= Math.max(computed, reached) + rounding &&
      Math.abs(pooled - computed) <= mostShift + 2 * rounding
    );
  };
  return risk(low) <= risk(high) && isBetween(low) && isBetween(high) && risk(computed) === computed;
}

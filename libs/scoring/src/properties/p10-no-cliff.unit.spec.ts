import fc from 'fast-check';
import { scoreHabit, scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aHabit, aTask } from './summaries.fixture';

const NUDGE = 1e-6;
/** Two steps of the fourth decimal, and floating point. */
const TWO_STEPS = 0.000_2 + 1e-9;

describe('P10', () => {
  it('moves no score of a habit by more than two rounding steps for a change of 1e-6', () => {
    const inputs = ['completion_rate', 'average_mood', 'mood_correlation', 'risk_score'] as const;
    forEachOf(fc.tuple(aHabit, fc.constantFrom(...inputs)), ([habit, input]) => {
      const a = scoreHabit(habit);
      const b = scoreHabit({ ...habit, [input]: nudged(habit[input], input === 'average_mood' ? 10 : 1) });
      return (
        isClose(a.adherence, b.adherence) &&
        isClose(a.expectedAdherence, b.expectedAdherence) &&
        isClose(a.consistency, b.consistency) &&
        isClose(a.momentum, b.momentum) &&
        isClose(a.lapseRisk, b.lapseRisk) &&
        isClose(a.priority, b.priority)
      );
    });
  });

  it('moves no score of a task by more than two rounding steps either', () => {
    const inputs = ['success_rate', 'risk_score', 'p95_latency_ms'] as const;
    forEachOf(fc.tuple(aTask, fc.constantFrom(...inputs)), ([task, input]) => {
      const a = scoreTask(task);
      const b = scoreTask({ ...task, [input]: nudged(task[input], input === 'p95_latency_ms' ? 1e308 : 1) });
      return (
        isClose(a.success_estimate, b.success_estimate) &&
        isClose(a.success_lower_bound, b.success_lower_bound) &&
        isClose(a.success_interval?.low ?? 0, b.success_interval?.low ?? 0) &&
        isClose(a.success_interval?.high ?? 0, b.success_interval?.high ?? 0) &&
        isClose(a.failure_risk, b.failure_risk) &&
        isClose(a.failure_risk_horizon, b.failure_risk_horizon) &&
        isClose(a.severity, b.severity) &&
        isClose(a.recovery, b.recovery) &&
        isClose(a.priority, b.priority)
      );
    });
  });
});

function nudged(value: number | undefined, highest: number): number | undefined {
  if (value === undefined) return undefined;
  return value + NUDGE <= highest ? value + NUDGE : value - NUDGE;
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= TWO_STEPS;
}

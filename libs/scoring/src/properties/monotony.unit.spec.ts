import fc from 'fast-check';
import { insightsForHabits, scoreHabit, scoreTask } from '../index';
import { successEstimate } from '../tasks/task-formulas';
import { forEachOf } from './for-each-of.fixture';
import { aCount, aHabit, aRatio, aTask } from './summaries.fixture';

type Scores<Name extends string> = Record<NoInfer<Name>, number>;

/** Whether none of these scores is above that of the other. */
function areAtMost<Name extends string>(one: Scores<Name>, other: Scores<Name>, names: readonly Name[]): boolean {
  return names.every((name) => one[name] <= other[name]);
}

describe('S3', () => {
  it('never raises lapse_risk and priority, nor lowers momentum and consistency, with completion_rate', () => {
    forEachOf(fc.tuple(aHabit, aRatio, aRatio), ([habit, a, b]) => {
      const worse = scoreHabit({ ...habit, completion_rate: Math.min(a, b) });
      const better = scoreHabit({ ...habit, completion_rate: Math.max(a, b) });
      return (
        areAtMost(better, worse, ['lapseRisk', 'priority']) && areAtMost(worse, better, ['momentum', 'consistency'])
      );
    });
  });

  it('never raises lapse_risk, nor lowers momentum and consistency, with current_streak', () => {
    forEachOf(fc.tuple(aHabit, aCount, aCount), ([habit, a, b]) => {
      const shorter = scoreHabit({ ...habit, current_streak: Math.min(a, b) });
      const longer = scoreHabit({ ...habit, current_streak: Math.max(a, b) });
      return areAtMost(longer, shorter, ['lapseRisk']) && areAtMost(shorter, longer, ['momentum', 'consistency']);
    });
  });
});

describe('S4', () => {
  it('never raises risk, severity, priority and burn rate, nor lowers bound and estimate, with success_rate', () => {
    forEachOf(fc.tuple(aTask, aRatio, aRatio), ([task, a, b]) => {
      const worse = scoreTask({ ...task, success_rate: Math.min(a, b) });
      const better = scoreTask({ ...task, success_rate: Math.max(a, b) });
      return (
        areAtMost(better, worse, ['failure_risk', 'severity', 'priority', 'burn_rate']) &&
        areAtMost(worse, better, ['success_lower_bound', 'success_estimate'])
      );
    });
  });
});

describe('S6', () => {
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

const aLatency = fc.oneof(fc.nat(100_000), fc.double({ min: 0, max: 1e12, noNaN: true }), fc.constant(1e308));

describe('S7', () => {
  it('never lowers risk while latency rises, the less so the longer p95 is', () => {
    forEachOf(fc.tuple(aTask, aLatency, aLatency), ([task, a, b]) => {
      const steady = scoreTask({ ...task, latency_trend: 'stable' }).failure_risk;
      const unmeasured = scoreTask({ ...task, latency_trend: 'rising', p95_latency_ms: undefined }).failure_risk;
      const [short, long] = [Math.min(a, b), Math.max(a, b)].map(
        (p95_latency_ms) => scoreTask({ ...task, latency_trend: 'rising', p95_latency_ms }).failure_risk,
      );
      return steady <= unmeasured && unmeasured <= short! && short! <= long!;
    });
  });

  it('treats falling as stable, and p95 without a trend as nothing', () => {
    forEachOf(aTask, (task) => {
      const neutral = scoresUnder({ latency_trend: 'stable', p95_latency_ms: undefined });
      return (
        scoresUnder({ latency_trend: 'falling' }) === neutral && scoresUnder({ latency_trend: undefined }) === neutral
      );

      function scoresUnder(latency: Partial<typeof task>): string {
        return JSON.stringify({ ...scoreTask({ ...task, ...latency }), latency_signal: '', p95_latency_ms: 0 });
      }
    });
  });
});

describe('S8', () => {
  it('never lowers severity or priority of a critical task, and raises both strictly inside 0 and 1', () => {
    forEachOf(aTask, (task) => {
      const ordinary = scoreTask({ ...task, critical: false });
      const critical = scoreTask({ ...task, critical: true });
      // Closer to the ends than this the raise may round away.
      const inside = ordinary.severity > 0.0005 && ordinary.severity < 0.9995;
      return inside
        ? critical.severity > ordinary.severity && critical.priority > ordinary.priority
        : critical.severity >= ordinary.severity && critical.priority >= ordinary.priority;
    });
  });

  it('reads absent as not critical', () => {
    forEachOf(aTask, (task) => {
      const absent = JSON.stringify(scoreTask({ ...task, critical: undefined }));
      return absent === JSON.stringify(scoreTask({ ...task, critical: false }));
    });
  });
});

type RiskUnderPrior = (risk_score?: number) => number;

describe('S5', () => {
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

describe('S9', () => {
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

const NUDGE = 1e-6;
/** Two steps of the fourth decimal, and floating point. */
const TWO_STEPS = 0.000_2 + 1e-9;
const OF_HABITS = ['adherence', 'expectedAdherence', 'consistency', 'momentum', 'lapseRisk', 'priority'] as const;
const OF_TASKS = [
  'success_estimate',
  'success_lower_bound',
  'failure_risk',
  'failure_risk_horizon',
  'severity',
  'recovery',
  'priority',
] as const;
const NO_INTERVAL = { low: 0, high: 0 };

function areClose<Name extends string>(one: Scores<Name>, other: Scores<Name>, names: readonly Name[]): boolean {
  return names.every((name) => Math.abs(one[name] - other[name]) <= TWO_STEPS);
}

describe('S10', () => {
  it('moves no score of a habit by more than two rounding steps for a change of 1e-6', () => {
    const inputs = ['completion_rate', 'average_mood', 'mood_correlation', 'risk_score'] as const;
    forEachOf(fc.tuple(aHabit, fc.constantFrom(...inputs)), ([habit, input]) => {
      const changed = { ...habit, [input]: nudged(habit[input], input === 'average_mood' ? 10 : 1) };
      return areClose(scoreHabit(habit), scoreHabit(changed), OF_HABITS);
    });
  });

  it('moves no score of a task by more than two rounding steps either', () => {
    const inputs = ['success_rate', 'risk_score', 'p95_latency_ms'] as const;
    forEachOf(fc.tuple(aTask, fc.constantFrom(...inputs)), ([task, input]) => {
      const a = scoreTask(task);
      const b = scoreTask({ ...task, [input]: nudged(task[input], input === 'p95_latency_ms' ? 1e308 : 1) });
      const [before, after] = [a.success_interval ?? NO_INTERVAL, b.success_interval ?? NO_INTERVAL];
      return areClose(a, b, OF_TASKS) && areClose(before, after, ['low', 'high']);
    });
  });
});

function nudged(value: number | undefined, highest: number): number | undefined {
  if (value === undefined) return undefined;
  return value + NUDGE <= highest ? value + NUDGE : value - NUDGE;
}

const streaksWithStaleBest = fc
  .tuple(aCount, aCount)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ current_streak: Math.max(a, b), best_streak: Math.min(a, b) }));

describe('S11', () => {
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

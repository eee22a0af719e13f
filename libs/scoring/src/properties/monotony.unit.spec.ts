import fc from 'fast-check';
import { scoreHabit, scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aCount, aHabit, aRatio, aTask } from './summaries.fixture';

describe('S3', () => {
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

describe('S4', () => {
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

import fc from 'fast-check';
import { scoreTask } from '../index';
import { forEachOf } from './for-each-of.fixture';
import { aTask } from './summaries.fixture';

const aLatency = fc.oneof(fc.nat(100_000), fc.double({ min: 0, max: 1e12, noNaN: true }), fc.constant(1e308));

describe('P7', () => {
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

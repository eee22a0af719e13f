import type { LatencySignal } from './task-assessment';
import type { LatencyTrend } from './task-summary';

/**
 * How much rising latency adds to the failure risk.
 * @param p95LatencyMs milliseconds, 0 or more
 * @returns points of risk at a risk of 0.5: 0.03 to 0.05 while rising, else 0
 */
export function latencyNudge(trend: LatencyTrend | undefined, p95LatencyMs: number | undefined): number {
  if (trend !== 'rising') return 0;
  if (p95LatencyMs === undefined) return 0.03;
  return 0.03 + (0.02 * p95LatencyMs) / (p95LatencyMs + 1000);
}

export function latencySignal(trend: LatencyTrend | undefined): LatencySignal {
  if (trend === undefined) return 'unknown';
  return trend === 'rising' ? 'degrading' : trend === 'falling' ? 'improving' : 'steady';
}

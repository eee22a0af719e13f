export type LatencyTrend = 'rising' | 'stable' | 'falling';
export type TaskCadence = 'continuous' | 'hourly' | 'daily' | 'weekly' | 'ad_hoc';

/** A recurring task as its owner sums it up. */
export interface TaskSummary {
  readonly name: string;
  /** 0 to 1. */
  readonly success_rate: number;
  /** Successful runs in a row, now. */
  readonly current_streak: number;
  /** Successful runs in a row, ever. */
  readonly best_streak: number;
  /** Runs behind the success rate. */
  readonly runs?: number;
  readonly latency_trend?: LatencyTrend;
  /** Milliseconds. Counts only while latency is rising: without a target it says nothing. */
  readonly p95_latency_ms?: number;
  /** The caller's own estimate, 0 to 1: blended in, never taken over. */
  readonly risk_score?: number;
  readonly cadence?: TaskCadence;
  readonly critical?: boolean;
}

/** Body of reliability analysis. */
export interface ReliabilityRequest {
  /** A label, echoed. */
  readonly system?: string;
  readonly tasks: readonly TaskSummary[];
}

/** The summary in the member order of the interface: decides ties of the order rule. */
export function taskJson(summary: TaskSummary): string {
  return JSON.stringify({
    name: summary.name,
    success_rate: summary.success_rate,
    current_streak: summary.current_streak,
    best_streak: summary.best_streak,
    runs: summary.runs,
    latency_trend: summary.latency_trend,
    p95_latency_ms: summary.p95_latency_ms,
    risk_score: summary.risk_score,
    cadence: summary.cadence,
    critical: summary.critical,
  });
}

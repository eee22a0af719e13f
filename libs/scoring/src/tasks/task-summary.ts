import type { SuccessInterval } from './task-formulas';

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
  /** Milliseconds. Used only while latency is rising: without a target it says nothing. */
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

export type SeverityLevel = 'low' | 'medium' | 'high';
export type LatencySignal = 'degrading' | 'steady' | 'improving' | 'unknown';
export type TaskDriver = 'error_budget' | 'next_run_risk' | 'rising_latency' | 'caller_prior' | 'critical';

/** Everything said of one task; members in the order of the interface, absent optional inputs null. */
export interface TaskAssessment {
  index: number;
  task: string;
  /** Fewer than 10 runs. */
  provisional: boolean;
  runs: number | null;
  success_rate: number;
  success_estimate: number;
  success_lower_bound: number;
  success_interval: SuccessInterval | null;
  /** Of the next run. */
  failure_risk: number;
  /** Of at least one of the next `horizon_runs`. */
  failure_risk_horizon: number;
  horizon_runs: number;
  /** Share of runs that may fail. */
  error_budget: number;
  /** 1: the budget is used exactly. No upper end. */
  burn_rate: number;
  breach_confirmed: boolean;
  severity: number;
  severity_level: SeverityLevel;
  recovery: number;
  runs_to_recover: number;
  priority: number;
  drivers: TaskDriver[];
  latency_signal: LatencySignal;
  p95_latency_ms: number | null;
  cadence: TaskCadence | null;
  critical: boolean;
}

import type { SuccessInterval } from './task-formulas';
import type { TaskCadence } from './task-summary';

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

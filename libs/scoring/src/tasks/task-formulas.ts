import { cappedCount, ROUNDING_ERROR, roundScore } from '../numbers';
import type { LatencySignal, LatencyTrend, SeverityLevel, TaskCadence } from './task-summary';

const FEWEST_PROVEN = 10;
/** Standard normal quantiles. */
const ONE_SIDED_90 = 1.2815515655446004;
const TWO_SIDED_95 = 1.959963984540054;

/**
 * How many runs a success rate is based on.
 * @param runs as reported
 * @param bestStreak runs
 * @param successRate 0 to 1
 * @returns `runs`, or without them what the record proves: its best streak at that rate, at least 10; maybe fractional
 */
export function runEvidence(runs: number | undefined, bestStreak: number, successRate: number): number {
  if (runs !== undefined) return cappedCount(runs);
  return Math.max(FEWEST_PROVEN, bestStreak / Math.max(successRate, 0.01));
}

/**
 * Long-run success rate, shrunk towards 0.9 by four prior runs.
 * @param successRate as observed, 0 to 1
 * @param runs behind it, 0 or more, maybe fractional
 * @returns rate, above 0 and below 1 for finite evidence; 0.9 without runs
 * @see Beta-Binomial shrinkage
 */
export function successEstimate(successRate: number, runs: number): number {
  return (successRate * runs + 3.6) / (runs + 4);
}

/**
 * Cautious success rate: the true one is above it with 90 % confidence, so few runs give a low value. Not a forecast.
 * @param successRate as observed, 0 to 1
 * @param runs behind it, 0 or more, maybe fractional
 * @returns rate, 0 to 1; 0 without runs
 * @see Wilson (1927)
 */
export function successLowerBound(successRate: number, runs: number): number {
  return runs === 0 ? 0 : wilsonEnds(successRate, runs, ONE_SIDED_90).low;
}

export interface SuccessInterval {
  low: number;
  high: number;
  /** Confidence. */
  level: 0.95;
}

/**
 * Where the true success rate lies.
 * @param successRate as observed, 0 to 1
 * @param runs as reported; a guessed number would make the interval a guess
 * @returns rounded ends, 0 to 1; null without runs
 * @see Wilson (1927)
 */
export function successInterval(successRate: number, runs: number | undefined): SuccessInterval | null {
  if (runs === undefined || runs === 0) return null;
  const { low, high } = wilsonEnds(successRate, runs, TWO_SIDED_95);
  return { low: roundScore(low), high: roundScore(high), level: 0.95 };
}

interface ServiceLevel {
  /** Share of runs that may fail. */
  readonly errorBudget: number;
  /** Runs in the horizon of the risk: about a day of hourly runs, a week of daily ones. */
  readonly horizonRuns: number;
}

/** By cadence; an absent one behaves as daily. */
const SERVICE_LEVELS: Readonly<Record<TaskCadence, ServiceLevel>> = {
  continuous: { errorBudget: 0.001, horizonRuns: 12 },
  hourly: { errorBudget: 0.005, horizonRuns: 24 },
  daily: { errorBudget: 0.01, horizonRuns: 7 },
  weekly: { errorBudget: 0.02, horizonRuns: 4 },
  ad_hoc: { errorBudget: 0.05, horizonRuns: 5 },
};

export function serviceLevel(cadence: TaskCadence = 'daily'): ServiceLevel {
  return SERVICE_LEVELS[cadence];
}

/**
 * Chance that at least one of the next runs fails: the next one at its own risk, the others at the long-run rate.
 * @param failureRisk of the next run, 0 to 1
 * @param successEstimate long-run rate, 0 to 1
 * @param runs in the horizon, 1 or more
 * @returns probability, 0 to 1
 */
export function failureRiskHorizon(failureRisk: number, successEstimate: number, runs: number): number {
  let allSucceed = 1 - failureRisk;
  for (let run = 1; run < runs; run++) allSucceed *= successEstimate;
  return 1 - allSucceed;
}

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

/**
 * Weight of a used-up error budget.
 * @param burnRate failures per allowed failure, 0 or more: 6 and 14.4 are the usual ticket and page levels
 * @returns without unit, 0 to below 0.6
 */
export function budgetTerm(burnRate: number): number {
  return (0.6 * burnRate) / (burnRate + 6);
}

/** The addition of a critical task to its severity; nothing at 0 and at 1. */
export function criticalTerm(severity: number): number {
  return 0.8 * severity * (1 - severity);
}

/** @param severity rounded, 0 to 1: medium from 0.25, high from 0.5 */
export function severityLevel(severity: number): SeverityLevel {
  return severity >= 0.5 ? 'high' : severity >= 0.25 ? 'medium' : 'low';
}

/**
 * Further successful runs until the next-run risk is down to twice its long-run level (5 % at least).
 * @param successEstimate long-run rate, 0 to 1
 * @param currentStreak runs
 * @returns runs, integer, 0 or more
 */
export function runsToRecover(successEstimate: number, currentStreak: number): number {
  const acceptable = Math.max(0.05, 2 * (1 - successEstimate));
  return Math.max(0, Math.ceil((1 + 5 * (1 - successEstimate)) / acceptable - 6 - ROUNDING_ERROR) - currentStreak);
}

/**
 * Ends of Wilson's score interval for a proportion.
 * @param rate observed, 0 to 1
 * @param trials above 0, maybe fractional
 * @param z standard normal quantile, above 0
 * @returns 0 to 1
 * @see Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212
 */
function wilsonEnds(rate: number, trials: number, z: number): Omit<SuccessInterval, 'level'> {
  const zz = z * z;
  const middle = rate + zz / (2 * trials);
  const halfWidth = z * Math.sqrt((rate * (1 - rate)) / trials + zz / (4 * trials * trials));
  const scale = 1 + zz / trials;
  // Only an error of rounding could leave 0 to 1.
  return { low: Math.max(0, (middle - halfWidth) / scale), high: Math.min(1, (middle + halfWidth) / scale) };
}

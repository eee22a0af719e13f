import { momentum } from '../habits/score-habit';
import { bestStreak, cappedCount, clamp, roundScore } from '../numbers';
import { lapseCore, lapseWeight, poolPrior, riskSlope, strongestDrivers } from '../risk-formulas';
import {
  budgetTerm,
  criticalTerm,
  failureRiskHorizon,
  latencyNudge,
  latencySignal,
  runEvidence,
  runsToRecover,
  serviceLevel,
  severityLevel,
  successEstimate,
  successInterval,
  successLowerBound,
} from './task-formulas';
import type { TaskAssessment, TaskDriver, TaskSummary } from './task-summary';

const DRIVERS: readonly TaskDriver[] = ['error_budget', 'next_run_risk', 'rising_latency', 'caller_prior', 'critical'];
const FEW_RUNS = 10;

/**
 * All scores of one task, from its summary alone.
 * @param summary legal by the interface; not changed
 * @param index place in the input, echoed
 * @returns scores from 0 to 1 with four decimals; burn_rate is a ratio without upper end
 */
export function scoreTask(summary: TaskSummary, index = 0): TaskAssessment {
  // `-0` is legal JSON.
  const rate = summary.success_rate + 0;
  const prior = summary.risk_score;
  const critical = summary.critical === true;
  const streak = cappedCount(summary.current_streak);
  const runs = runEvidence(summary.runs, bestStreak(summary.best_streak, streak), rate);
  const provisional = summary.runs !== undefined && summary.runs < FEW_RUNS;
  const lastMissed = streak === 0 && runs > 0 ? 1 : 0;
  const { errorBudget, horizonRuns } = serviceLevel(summary.cadence);

  const estimate = successEstimate(rate, runs);
  const interval = successInterval(rate, summary.runs === undefined ? undefined : runs);
  const core = lapseCore(estimate, lastMissed, lapseWeight(streak, lastMissed));
  const nudge = riskSlope(core) * latencyNudge(summary.latency_trend, summary.p95_latency_ms);
  const nudged = clamp(core + nudge, 0.0005, 0.99);
  const priorWeight = 0.2 + (0.1 * Math.max(0, FEW_RUNS - runs)) / 10;
  const risk = clamp(prior === undefined ? nudged : poolPrior(nudged, prior, priorWeight), 0.0005, 0.99);

  const burnRate = (1 - rate) / errorBudget;
  // Full weight from 10 runs on.
  const budget = budgetTerm(burnRate) * Math.min(1, runs / FEW_RUNS);
  const ordinary = budget + 0.4 * risk;
  const extra = critical ? criticalTerm(ordinary) : 0;
  const drivers = strongestDrivers(DRIVERS, [
    budget,
    0.4 * core,
    0.4 * (nudged - core),
    prior === undefined ? 0 : 0.4 * priorWeight * (prior - nudged),
    extra,
  ]);
  const severity = roundScore(ordinary + extra);

  return {
    index,
    task: summary.name,
    provisional,
    runs: summary.runs === undefined ? null : summary.runs + 0,
    success_rate: roundScore(rate),
    success_estimate: roundScore(estimate),
    success_lower_bound: roundScore(successLowerBound(rate, runs)),
    success_interval: interval,
    failure_risk: roundScore(risk),
    failure_risk_horizon: roundScore(failureRiskHorizon(risk, estimate, horizonRuns)),
    horizon_runs: horizonRuns,
    error_budget: errorBudget,
    burn_rate: roundScore(burnRate),
    breach_confirmed: !provisional && interval !== null && interval.high < roundScore(1 - errorBudget),
    severity,
    severity_level: severityLevel(severity),
    recovery: roundScore(momentum(streak)),
    runs_to_recover: runsToRecover(estimate, streak),
    priority: roundScore(0.6 * (ordinary + extra) + 0.4 * risk),
    drivers,
    latency_signal: latencySignal(summary.latency_trend),
    p95_latency_ms: summary.p95_latency_ms === undefined ? null : summary.p95_latency_ms + 0,
    cadence: summary.cadence ?? null,
    critical,
  };
}

import { analysisOf, type HabitsSummary } from '../habits/analyze-habits';
import type { HabitsRequest } from '../habits/habit-summary';
import { scoreHabit } from '../habits/score-habit';
import { type EvidencedHabit, type HabitDriver, ranked } from '../habits/scored-habit';
import type { LinkVariable } from '../texts';
import {
  isWorthSaying,
  linkDirection,
  type LinkDirection,
  linkStrength,
  type LinkStrength,
  moodAcrossHabits,
} from './mood-link';
import { type Pattern, patternsOf } from './patterns';

export interface HabitInsights {
  /** Equal to `aggregate_summary`: the two published schemas name it differently. */
  summary: HabitsSummary;
  aggregate_summary: HabitsSummary;
  highlights: string[];
  watchouts: string[];
  recommendations: string[];
  patterns: Pattern[];
  correlations: CorrelationFinding[];
  risk_signals: RiskSignal[];
}

/**
 * The analysis, with patterns, correlations and risk signals.
 * @param request 1 to 25 habits; horizon in days, 7 to 180, 35 when absent
 */
export function insightsForHabits(request: HabitsRequest): HabitInsights {
  const habits = request.habits.map(scoreHabit);
  const analysis = analysisOf(habits, request.horizon_days);
  const inOrder = ranked(habits);
  return {
    summary: analysis.aggregate_summary,
    aggregate_summary: analysis.aggregate_summary,
    highlights: analysis.highlights,
    watchouts: analysis.watchouts,
    recommendations: analysis.recommendations,
    patterns: patternsOf(inOrder),
    correlations: correlationsOf(inOrder),
    risk_signals: riskSignalsOf(inOrder),
  };
}

export interface CorrelationFinding {
  /** Null for the one over several habits. */
  index: number | null;
  habit: string | null;
  variable: LinkVariable;
  coefficient: number;
  strength: LinkStrength;
  direction: LinkDirection;
  /** `caller`: taken from the summary; `computed`: over the habits of the request. */
  source: 'caller' | 'computed';
  /** Habits behind a computed one. */
  n?: number;
}

/** @param habits by the order rule, which the findings follow */
function correlationsOf(habits: readonly EvidencedHabit[]): CorrelationFinding[] {
  const findings: CorrelationFinding[] = [];
  for (const { index, name, moodCorrelation } of habits) {
    if (!isWorthSaying(moodCorrelation)) continue;
    findings.push({ index, habit: name, ...link(moodCorrelation), source: 'caller' });
  }
  const across = moodAcrossHabits(habits);
  if (across) findings.push({ index: null, habit: null, ...link(across.coefficient), source: 'computed', n: across.n });
  return findings;
}

function link(r: number): Pick<CorrelationFinding, 'variable' | 'coefficient' | 'strength' | 'direction'> {
  return { variable: 'mood', coefficient: r, strength: linkStrength(r), direction: linkDirection(r) };
}

export interface RiskSignal {
  index: number;
  habit: string;
  code: 'moderate_lapse_risk' | 'high_lapse_risk';
  band: 'moderate' | 'high';
  /** Lapse risk, 0 to 1. */
  value: number;
  drivers: readonly HabitDriver[];
}

/** Every habit of the bands moderate and high. @param habits by the order rule, which the signals follow */
function riskSignalsOf(habits: readonly EvidencedHabit[]): RiskSignal[] {
  const signals: RiskSignal[] = [];
  for (const { index, name, band, lapseRisk, drivers } of habits) {
    if (band === 'low') continue;
    signals.push({ index, habit: name, code: `${band}_lapse_risk`, band, value: lapseRisk, drivers });
  }
  return signals;
}

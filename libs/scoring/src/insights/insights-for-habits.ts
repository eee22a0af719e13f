import { analysisOf, type HabitsSummary } from '../habits/analyze-habits';
import type { HabitsRequest } from '../habits/habit-summary';
import { ranked } from '../habits/scored-habit';
import { scoreHabit } from '../habits/score-habit';
import { correlationsOf, type CorrelationFinding } from './correlations';
import { patternsOf, type Pattern } from './patterns';
import { riskSignalsOf, type RiskSignal } from './risk-signals';

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

import { type HabitWatchout, highlightOf, watchoutsOf } from '../habits/habit-lists';
import { type EvidencedHabit, isEvidenced } from '../habits/scored-habit';
import { isWorthSaying } from '../insights/mood-link';
import { type LinkVariable, TEXTS } from '../texts';
import { analysisOf, type LogAnalysis } from './analyze-logs';
import { type EvaluatedHabit, evaluateHistories } from './evaluate-histories';
import type { HistoriesRequest } from './habit-history';
import { isTold } from './score-correlation';

export type InsightKind = 'streak' | 'adherence' | 'risk' | 'schedule' | 'correlation';
export type InsightCode =
  | 'strong_streak'
  | 'broken_streak'
  | 'high_adherence'
  | 'high_lapse_risk'
  | 'falling_energy'
  | 'best_weekday'
  | 'worst_weekday'
  | `${LinkVariable}_link`;

/** One thing worth keeping about a habit on its evaluation day. */
export interface LogInsight {
  /** Place of the habit in the input. */
  index: number;
  habit: string;
  kind: InsightKind;
  code: InsightCode;
  severity: 'info' | 'warning';
  title: string;
  body: string;
  evidence: Readonly<Record<string, number | string>>;
  /** False only for correlations. */
  free_readable: boolean;
}

const KIND: Record<InsightCode, InsightKind> = {
  strong_streak: 'streak',
  broken_streak: 'streak',
  high_adherence: 'adherence',
  high_lapse_risk: 'risk',
  falling_energy: 'risk',
  best_weekday: 'schedule',
  worst_weekday: 'schedule',
  mood_link: 'correlation',
  energy_link: 'correlation',
  stress_link: 'correlation',
};

/** Findings about each habit, in input order; none of habits without a counted occasion. */
export function insightsFromLogs(request: HistoriesRequest): LogInsight[] {
  return evaluateHistories(request).flatMap(insightsOf);
}

/** The answers of `analyzeLogs` and `insightsFromLogs`, in little more than the time of one of them. */
export function analyzeLogsWithInsights(request: HistoriesRequest): { analysis: LogAnalysis; insights: LogInsight[] } {
  const evaluated = evaluateHistories(request);
  return { analysis: analysisOf(evaluated, request), insights: evaluated.flatMap(insightsOf) };
}

function insightsOf({ scored, metrics, correlations }: EvaluatedHabit): LogInsight[] {
  if (!isEvidenced(scored)) return [];
  const insights: LogInsight[] = [];
  const found = (code: InsightCode, body: string, evidence: LogInsight['evidence']) =>
    insights.push(insight(scored, code, body, evidence));

  const streaks = { current_streak: scored.currentStreak, best_streak: scored.bestStreak };
  const highlight = highlightOf(scored);
  if (highlight === 'strong_streak') found(highlight, TEXTS.highlights.strong_streak(scored), streaks);
  if (highlight === 'high_adherence') {
    const evidence = { completion_rate: metrics.completion_rate, occasions: metrics.occasions };
    found(highlight, TEXTS.highlights.high_adherence(scored), evidence);
  }
  const behind: Record<HabitWatchout, LogInsight['evidence']> = {
    high_lapse_risk: { lapse_risk: scored.lapseRisk, band: scored.band },
    broken_streak: streaks,
    falling_energy: { energy_trend: 'falling', band: scored.band },
  };
  for (const code of watchoutsOf(scored)) found(code, TEXTS.statements[code](scored), behind[code]);
  const best = metrics.best_weekday;
  if (best) found('best_weekday', TEXTS.statements.best_weekday(best), { ...best });
  const worst = scored.facts?.worstWeekday;
  if (worst) found('worst_weekday', TEXTS.statements.worst_weekday(worst), { ...worst });
  for (const variable of ['mood', 'energy', 'stress'] as const) {
    const correlation = correlations?.[variable];
    if (!correlation || !isTold(correlation) || !isWorthSaying(correlation.coefficient)) continue;
    const { coefficient, n } = correlation;
    found(`${variable}_link`, TEXTS.statements.link(variable, coefficient), { coefficient, n });
  }
  return insights;
}

function insight(
  { index, name }: EvidencedHabit,
  code: InsightCode,
  body: string,
  evidence: LogInsight['evidence'],
): LogInsight {
  const kind = KIND[code];
  return {
    index,
    habit: name,
    kind,
    code,
    severity: kind === 'risk' || code === 'broken_streak' ? 'warning' : 'info',
    title: titleOf(code),
    body,
    evidence,
    free_readable: kind !== 'correlation',
  };
}

/** The code as text: `strong_streak` becomes `Strong streak`. */
function titleOf(code: InsightCode): string {
  const words = code.split('_').join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

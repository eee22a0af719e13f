import { aggregateHabits, type HabitAggregate } from '../habits/analyze-habits';
import { habitLists, type HabitLists, type HabitRecommendations, recommendationsOf } from '../habits/habit-lists';
import { DEFAULT_HORIZON_DAYS, isEvidenced, ranked } from '../habits/scored-habit';
import { civilDate } from './civil-days';
import { type EvaluatedHabit, evaluateHistories, type HabitMetrics } from './evaluate-histories';
import type { HistoriesRequest } from './habit-history';
import { viewpointOf } from './habit-record';

export interface Period {
  /** Local dates, both included. */
  from: string;
  to: string;
  days: number;
}

export interface LogsSummary extends HabitAggregate<number | null> {
  /** Habits received. */
  habit_count: number;
  /** Habits without evidence: in no mean, band or highest risk. */
  left_out: number;
  horizon_days: number;
}

export interface LogAnalysis extends HabitLists {
  period: Period;
  /** Input order. */
  habits: { habit: string; metrics: HabitMetrics }[];
  aggregate_summary: LogsSummary;
}

/**
 * Scores every habit from its full logs, sums them up and says what stands out.
 * @param request any number of habits; of none with evidence the means are null
 */
export function analyzeLogs(request: HistoriesRequest): LogAnalysis {
  return analysisOf(evaluateHistories(request), request);
}

/** Absent is not zero. */
const NOTHING_KNOWN: HabitAggregate<null> = {
  mean_adherence: null,
  mean_consistency: null,
  mean_momentum: null,
  mean_lapse_risk: null,
  bands: { low: 0, moderate: 0, high: 0 },
  highest_risk: null,
};

/** @param evaluated all habits of the request */
export function analysisOf(evaluated: readonly EvaluatedHabit[], request: HistoriesRequest): LogAnalysis {
  const inOrder = ranked(evaluated.map(({ scored }) => scored));
  const evidenced = inOrder.filter(isEvidenced);
  return {
    period: periodOf(request),
    habits: evaluated.map(({ scored, metrics }) => ({ habit: scored.name, metrics })),
    aggregate_summary: {
      habit_count: evaluated.length,
      left_out: evaluated.length - evidenced.length,
      horizon_days: request.horizonDays ?? DEFAULT_HORIZON_DAYS,
      ...(evidenced.length === 0 ? NOTHING_KNOWN : aggregateHabits(evidenced)),
    },
    ...habitLists(inOrder),
  };
}

/** The days shown. */
function periodOf(request: HistoriesRequest): Period {
  const { today, windowDays } = viewpointOf(request);
  return { from: civilDate(today - windowDays + 1), to: civilDate(today), days: windowDays };
}

export interface LogRecommendations extends HabitRecommendations {
  /** Input order. */
  metrics: HabitMetrics[];
}

/** One next-best action per habit, by the order rule; `start` while a habit has no counted occasion. */
export function recommendFromLogs(request: HistoriesRequest): LogRecommendations {
  const evaluated = evaluateHistories(request);
  const recommended = recommendationsOf(evaluated.map(({ scored }) => scored));
  return { ...recommended, metrics: evaluated.map(({ metrics }) => metrics) };
}

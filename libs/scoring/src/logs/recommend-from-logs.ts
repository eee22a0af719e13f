import { recommendationsOf, type HabitRecommendations } from '../habits/recommend-for-habits';
import { evaluateHistories } from './evaluate-histories';
import type { HistoriesRequest } from './habit-history';
import type { HabitMetrics } from './habit-metrics';

export interface LogRecommendations extends HabitRecommendations {
  /** Input order. */
  metrics: HabitMetrics[];
}

/** One next-best action per habit, by the order rule; `start` while a habit has no counted occasion. */
export function recommendFromLogs(request: HistoriesRequest): LogRecommendations {
  const evaluated = evaluateHistories(request);
  const { recommendations, generated_for_habits } = recommendationsOf(evaluated.map(({ scored }) => scored));
  return { recommendations, generated_for_habits, metrics: evaluated.map(({ metrics }) => metrics) };
}

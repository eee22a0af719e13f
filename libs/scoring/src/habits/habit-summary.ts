export type EnergyTrend = 'rising' | 'stable' | 'falling';

/** A habit as its owner sums it up. An absent optional member takes a neutral branch; it is never read as zero. */
export interface HabitSummary {
  readonly name: string;
  /** 0 to 1. */
  readonly completion_rate: number;
  /** Occasions in a row, now. */
  readonly current_streak: number;
  /** Occasions in a row, ever. A current streak above it is the real best. */
  readonly best_streak: number;
  /** 1 to 10. */
  readonly average_mood?: number;
  /** -1 to 1. */
  readonly mood_correlation?: number;
  readonly energy_trend?: EnergyTrend;
  /** The caller's own estimate, 0 to 1: blended in, never taken over. */
  readonly risk_score?: number;
  /** Never read. */
  readonly metadata?: object;
}

/** Body of analyze, insights and recommend. Other members of the body change nothing. */
export interface HabitsRequest {
  readonly habits: readonly HabitSummary[];
  /** Days, 7 to 180; 35 when absent. */
  readonly horizon_days?: number;
}

export const DEFAULT_HORIZON_DAYS = 35;

/** The summary in the member order of the interface, without metadata: decides ties of the order rule. */
export function habitJson(summary: HabitSummary): string {
  return JSON.stringify({
    name: summary.name,
    completion_rate: summary.completion_rate,
    current_streak: summary.current_streak,
    best_streak: summary.best_streak,
    average_mood: summary.average_mood,
    mood_correlation: summary.mood_correlation,
    energy_trend: summary.energy_trend,
    risk_score: summary.risk_score,
  });
}

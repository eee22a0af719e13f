import type { EnergyTrend } from '../habits/habit-summary';
import type { HabitDriver } from '../habits/scored-habit';
import type { RiskBand } from '../risk-formulas';
import type { CorrelationGap, ScoreCorrelation } from './score-correlation';
import type { WeekdayFinding } from './weekdays';

/** Everything said of one habit from its logs; members in the order of the interface. */
export interface HabitMetrics {
  /** `none` while nothing was kept or missed yet: then risk, band and expectation are null. */
  evidence: 'logs' | 'none';
  completion_rate: number;
  /** Kept and missed ones of the window. */
  occasions: number;
  /** Of the window. */
  excused: number;
  skip_budget_remaining: number;
  adherence: number;
  expected_adherence: number | null;
  consistency: number;
  momentum: number;
  lapse_risk: number | null;
  band: RiskBand | null;
  priority: number;
  drivers: readonly HabitDriver[];
  strength: number;
  current_streak: number;
  best_streak: number;
  streak_unit: 'day' | 'week';
  average_mood: number | null;
  average_energy: number | null;
  average_stress: number | null;
  energy_trend: EnergyTrend | null;
  /** Null unless it differs from the other weekdays, as does the next one. */
  best_weekday: WeekdayFinding | null;
  worst_weekday: WeekdayFinding | null;
  /** Null when the window before has no occasion. */
  previous_period: { completion_rate: number; delta: number } | null;
  /** The next four are absent where withheld, the first three also where there is nothing to tell. */
  mood_correlation?: ScoreCorrelation;
  energy_correlation?: ScoreCorrelation;
  stress_correlation?: ScoreCorrelation;
  correlation_notes?: Partial<Record<'mood' | 'energy' | 'stress', CorrelationGap['reason']>>;
}

import type { EnergyTrend } from '../habits/habit-summary';
import type { HabitDriver } from '../habits/scored-habit';
import { round4, ROUNDING_ERROR } from '../numbers';
import type { RiskBand } from '../risk-formulas';
import { weekdayOf } from './civil-days';
import type { DayBook } from './day-book';
import type { CorrelationGap, ScoreCorrelation } from './score-correlation';

const FEWEST_DAYS = 4;

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
  best_weekday: BestWeekday | null;
  /** Null when the window before has no occasion. */
  previous_period: { completion_rate: number; delta: number } | null;
  /** The next four are absent where withheld, the first three also where there is nothing to tell. */
  mood_correlation?: ScoreCorrelation;
  energy_correlation?: ScoreCorrelation;
  stress_correlation?: ScoreCorrelation;
  correlation_notes?: Partial<Record<'mood' | 'energy' | 'stress', CorrelationGap['reason']>>;
}

export interface BestWeekday {
  /** 1 (Monday) to 7 (Sunday). */
  weekday: number;
  completion_rate: number;
  /** Days behind it. */
  n: number;
}

/**
 * The weekday of the highest mean completion, the earliest one on ties.
 * @param counted 1 for each scheduled day that is neither pending nor excused
 * @param fromDay first day that is looked at
 * @returns null while no weekday has 4 days
 */
export function bestWeekday({ start, completion }: DayBook, counted: Uint8Array, fromDay: number): BestWeekday | null {
  const sums = new Float64Array(7);
  const days = new Uint32Array(7);
  for (let at = Math.max(0, fromDay - start); at < completion.length; at++) {
    if (counted[at] === 0) continue;
    const weekday = weekdayOf(start + at);
    sums[weekday]! += completion[at]!;
    days[weekday]!++;
  }
  const means = sums.map((sum, weekday) => (days[weekday]! < FEWEST_DAYS ? -1 : sum / days[weekday]!));
  const highest = Math.max(...means);
  if (highest < 0) return null;
  const best = means.findIndex((mean) => mean >= highest - ROUNDING_ERROR);
  return {
    weekday: best + 1,
    // Two sessions on one day count once here: a rate has no value above 1.
    completion_rate: round4(Math.min(1, means[best]!)),
    n: days[best]!,
  };
}

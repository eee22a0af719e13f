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

/** Completion on one weekday. */
export interface WeekdayMean {
  /** 1 (Monday) to 7 (Sunday). */
  readonly weekday: number;
  /** Counted days behind it. */
  readonly n: number;
  /** 0 to 1, or to `ceil(target / 7)` for targets above 7 a week, full precision; null below 4 days. */
  readonly mean: number | null;
}

/**
 * @param counted 1 for each scheduled day that is neither pending nor excused
 * @param from first day that is looked at
 * @param until last one
 * @returns all seven, Monday first
 */
export function weekdayMeans(
  { start, completion }: DayBook,
  counted: Uint8Array,
  from: number,
  until: number,
): WeekdayMean[] {
  const sums = new Float64Array(7);
  const days = new Uint32Array(7);
  const end = Math.min(completion.length, until - start + 1);
  for (let at = Math.max(0, from - start); at < end; at++) {
    if (counted[at] === 0) continue;
    const weekday = weekdayOf(start + at);
    sums[weekday]! += completion[at]!;
    days[weekday]!++;
  }
  return Array.from(days, (n, i) => ({ weekday: i + 1, n, mean: n < FEWEST_DAYS ? null : sums[i]! / n }));
}

/** A mean as it is told: two sessions on one day count once here, as a rate has no value above 1. */
export function toldRate(mean: number): number {
  return round4(Math.min(1, mean));
}

/**
 * The weekday of the highest mean completion, the earliest one on ties.
 * @returns null while no weekday has 4 days
 */
export function bestWeekday(weekdays: readonly WeekdayMean[]): BestWeekday | null {
  const highest = Math.max(...weekdays.map(({ mean }) => mean ?? -1));
  const best = weekdays.find(({ mean }) => mean !== null && mean >= highest - ROUNDING_ERROR);
  return best ? { weekday: best.weekday, completion_rate: toldRate(best.mean!), n: best.n } : null;
}

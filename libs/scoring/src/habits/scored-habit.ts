import type { WeekdayFinding } from '../logs/weekdays';
import { byOrderRule } from '../order-rule';
import type { RiskBand } from '../risk-formulas';

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
function habitJson(summary: HabitSummary): string {
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

export type HabitDriver =
  'low_completion' | 'zero_streak' | 'days_since_last' | 'falling_energy' | 'mood' | 'caller_prior';

/** From a history alone, for actions and texts. */
export interface HistoryFacts {
  readonly streakUnit: 'day' | 'week';
  /** Sessions a week, 1 to 14. */
  readonly target: number;
  /** Kept and missed ones of the window. */
  readonly occasions: number;
  /** Of the window. */
  readonly keptOccasions: number;
  /** Of habits with set days alone: on which days a weekly target is met is up to the person. */
  readonly worstWeekday: WeekdayFinding | null;
  /** Local date; null once it has begun. */
  readonly startsOn: string | null;
  /** Whether a first week that does not count yet has earned something. */
  readonly isUnderway: boolean;
  /** When the habit is due and not logged: a number is a weekday, 1 (Monday) to 7. */
  readonly nextDue: 'today' | 'tomorrow' | 'next week' | number;
}

/** A habit as lists, actions, texts and plans read it, from a summary or from logs. Rounded unless said otherwise. */
interface ScoredHabitBase {
  /** Place in the input. */
  readonly index: number;
  readonly name: string;
  /** Decides ties of the order rule. */
  readonly item: HabitSummary;
  /** Full precision. */
  readonly completionRate: number;
  /** Lapse risk in full precision; 0.5 without evidence. */
  readonly risk: number;
  readonly currentStreak: number;
  readonly bestStreak: number;
  readonly averageMood: number | undefined;
  readonly moodCorrelation: number | undefined;
  readonly energyTrend: EnergyTrend | undefined;
  readonly adherence: number;
  readonly consistency: number;
  readonly momentum: number;
  readonly priority: number;
  readonly drivers: readonly HabitDriver[];
  /** Absent when all that is known is a summary. */
  readonly facts?: HistoryFacts;
}

/** A habit with at least one counted occasion; every habit that comes from a summary. */
export interface EvidencedHabit extends ScoredHabitBase {
  readonly expectedAdherence: number;
  readonly lapseRisk: number;
  readonly band: RiskBand;
}

/** A habit from logs in which nothing was kept or missed yet. */
interface UnstartedHabit extends ScoredHabitBase {
  readonly expectedAdherence: null;
  readonly lapseRisk: null;
  readonly band: null;
}

export type ScoredHabit = EvidencedHabit | UnstartedHabit;

export function isEvidenced(habit: ScoredHabit): habit is EvidencedHabit {
  return habit.band !== null;
}

/** The habits by the order rule, in a new array. */
export function ranked<Habit extends ScoredHabit>(habits: readonly Habit[]): Habit[] {
  return byOrderRule(habits, ({ item }) => habitJson(item));
}

/** The habit of the highest lapse risk; equal ones by the order rule. */
export function highestRisk(rankedHabits: readonly EvidencedHabit[]): EvidencedHabit | undefined {
  let highest = rankedHabits[0];
  for (const habit of rankedHabits) if (habit.lapseRisk > highest!.lapseRisk) highest = habit;
  return highest;
}

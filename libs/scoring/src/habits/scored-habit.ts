import { byOrderRule } from '../order-rule';
import type { RiskBand } from '../risk-formulas';
import type { WeekdayFinding } from '../logs/weekdays';
import { type EnergyTrend, habitJson, type HabitSummary } from './habit-summary';

export type HabitDriver =
  'low_completion' | 'zero_streak' | 'days_since_last' | 'falling_energy' | 'mood' | 'caller_prior';

/** What only a history says, for actions and texts. */
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

/** What lists, actions, texts and plans read of a habit, from a summary or from logs. Rounded unless said otherwise. */
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
export interface UnstartedHabit extends ScoredHabitBase {
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
  return byOrderRule(habits, itemJson);
}

function itemJson({ item }: ScoredHabit): string {
  return habitJson(item);
}

/** The habit of the highest lapse risk; equal ones by the order rule. */
export function highestRisk(rankedHabits: readonly EvidencedHabit[]): EvidencedHabit | undefined {
  let highest = rankedHabits[0];
  for (const habit of rankedHabits) if (habit.lapseRisk > highest!.lapseRisk) highest = habit;
  return highest;
}

import type { WeekStart } from './civil-days';

export type LogStatus = 'COMPLETED' | 'PARTIAL' | 'SKIPPED';

/** One log, on its stored local date: the engine gets dates, not instants. */
export interface HabitLog {
  /** YYYY-MM-DD, computed when the log arrived. */
  readonly localDate: string;
  readonly status: LogStatus;
  /** Completion of a PARTIAL log, 0 to 1; 0.5 when absent. */
  readonly completionRate?: number | null;
  /** 1 to 10, as are the two others. */
  readonly moodScore?: number | null;
  readonly energyScore?: number | null;
  readonly stressScore?: number | null;
}

/** A habit with all its logs, in any order. */
export interface HabitHistory {
  readonly name: string;
  readonly cadence?: 'DAILY' | 'WEEKLY' | 'CUSTOM' | null;
  /** Sessions, 1 to 14. */
  readonly targetPerWeek?: number | null;
  /** Bit 0 Monday to bit 6 Sunday; 0 means no fixed days. */
  readonly targetDaysMask?: number | null;
  /** Local date, YYYY-MM-DD. Work before it earns nothing. When absent: the date of the earliest log ... */
  readonly startDate?: string | null;
  /** ... at latest this one: the local date on which the habit was created; the evaluation day when absent. */
  readonly createdOn?: string | null;
  readonly logs: readonly HabitLog[];
}

/** One person's habits on one day. */
export interface HistoriesRequest {
  readonly habits: readonly HabitHistory[];
  /** The person's habits that are not asked about: only their mood, energy and stress scores are read. */
  readonly otherHabits?: readonly HabitHistory[];
  /** Evaluation day, local date. Logs after it are ignored. */
  readonly asOf: string;
  /** Days shown, ending on the evaluation day: 7 to 365, 90 when absent. Streaks, risk and strength see all days. */
  readonly windowDays?: number;
  /** Days, 7 to 180; 35 when absent. */
  readonly horizonDays?: number;
  readonly weekStart?: WeekStart;
  /** `withheld`: no correlation is published, neither as a number nor through an action. */
  readonly correlations?: 'shown' | 'withheld';
}

export const DEFAULT_WINDOW_DAYS = 90;

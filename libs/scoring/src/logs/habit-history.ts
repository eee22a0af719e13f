import type { WeekStart } from './civil-days';

export type LogStatus = 'COMPLETED' | 'PARTIAL' | 'SKIPPED';

/** One log, on its stored local date: the engine gets dates, not instants. */
export interface HabitLog {
  /** YYYY-MM-DD, computed when the log arrived. */
  readonly localDate: string;
  readonly status: LogStatus;
  /** Completion of a PARTIAL log, 0 to 1; 0.5 when absent. */
  readonly completionRate?: number | null;
  /** 1 to 10, whole, as are the two others. */
  readonly moodScore?: number | null;
  readonly energyScore?: number | null;
  readonly stressScore?: number | null;
}

/** Status of a log in `PackedLogs`. */
export const STATUS_CODES: Readonly<Record<LogStatus, number>> = { COMPLETED: 1, PARTIAL: 2, SKIPPED: 3 };

/**
 * The logs of one habit in parallel arrays of one length, one place a log, in any order (by date is fastest): the form in
 * which a database gives years of logs at once.
 */
export interface PackedLogs {
  /** Local dates as days since 1970-01-01: `dayNumber`. */
  readonly days: Int32Array;
  /** `STATUS_CODES`. */
  readonly statuses: Uint8Array;
  /** Completion of each log in ten-thousandths, 0 to 10,000; -1 for none given. Four decimals are all that is kept. */
  readonly completionRates: Int16Array;
  /** 1 to 10, 0 for none, as are the two others. */
  readonly moodScores: Int8Array;
  readonly energyScores: Int8Array;
  readonly stressScores: Int8Array;
}

/** A habit without its logs. */
export interface HabitTerms {
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
}

/** A habit with all its logs, in any order. */
export interface HabitHistory extends HabitTerms {
  readonly logs: readonly HabitLog[];
}

/** The same with packed logs: equal logs give equal bytes in either form. */
export interface PackedHistory extends HabitTerms {
  readonly packed: PackedLogs;
}

export type AnyHistory = HabitHistory | PackedHistory;

/** One person's habits on one day. */
export interface HistoriesRequest<History extends AnyHistory = AnyHistory> {
  readonly habits: readonly History[];
  /** The person's habits that are not asked about: only their mood, energy and stress scores are read. */
  readonly otherHabits?: readonly AnyHistory[];
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

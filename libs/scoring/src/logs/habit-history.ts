import { dayNumber, type WeekStart } from './civil-days';

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

/** Status of a log as it is read. */
export const STATUS_CODES: Readonly<Record<LogStatus, number>> = { COMPLETED: 1, PARTIAL: 2, SKIPPED: 3 };

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

/** A log as it is read. */
export interface DayLog {
  readonly day: number;
  /** `STATUS_CODES`. */
  readonly status: number;
  /** As given, 0 to 1; negative for none. */
  readonly rate: number;
  /** COMPLETED 1; PARTIAL its rate, or 0.5; SKIPPED 0. */
  readonly earned: number;
  /** 1 to 10, 0 for none, as are the two others. */
  readonly mood: number;
  readonly energy: number;
  readonly stress: number;
}

export type ScoreMember = 'mood' | 'energy' | 'stress';

/**
 * The logs by date, of one day the highest completion first. Repetitions of a log (equal in every member) are left out, as they
 * would add its scores twice, except for targets above 7 a week: there a day may hold two equal sessions.
 * @throws RangeError when a date is none
 */
export function readLogs(habit: HabitHistory, { target }: { readonly target: number }): DayLog[] {
  const logs = habit.logs.map(dayLogOf);
  if (logs.every((log, i) => i === 0 || log.day > logs[i - 1]!.day)) return logs;
  logs.sort(inOrder);
  return target > 7 ? logs : logs.filter((log, i) => i === 0 || inOrder(logs[i - 1]!, log) !== 0);
}

function dayLogOf(log: HabitLog): DayLog {
  const rate = log.completionRate ?? -1;
  const status = STATUS_CODES[log.status];
  return {
    day: dayNumber(log.localDate),
    status,
    rate,
    earned: earnedBy(status, rate),
    mood: log.moodScore ?? 0,
    energy: log.energyScore ?? 0,
    stress: log.stressScore ?? 0,
  };
}

function earnedBy(status: number, rate: number): number {
  if (status === STATUS_CODES.COMPLETED) return 1;
  if (status !== STATUS_CODES.PARTIAL) return 0;
  return rate < 0 ? 0.5 : rate;
}

function inOrder(a: DayLog, b: DayLog): number {
  return (
    a.day - b.day ||
    // Floating-point sums depend on the order of their terms: this one does not depend on the order of the logs.
    b.earned - a.earned ||
    a.status - b.status ||
    a.rate - b.rate ||
    a.mood - b.mood ||
    a.energy - b.energy ||
    a.stress - b.stress
  );
}

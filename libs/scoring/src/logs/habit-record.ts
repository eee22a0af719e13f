import { round4 } from '../numbers';
import { dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { dayBook, type DayBook, type ReadLog, readLogs } from './day-book';
import { DEFAULT_WINDOW_DAYS, type HabitHistory } from './habit-history';
import {
  type Completion,
  completionOf,
  countedDays,
  countedCompletion,
  isCounted,
  type Occasion,
  occasionsOf,
  skipBudgetRemaining,
  type Streaks,
  streaksOf,
} from './occasions';
import { type Schedule, scheduleOf } from './schedule';

/** 0.5^(sqrt(T/7)/13) for T = 1 to 7 sessions a week. */
const KEPT_PER_DAY: readonly number[] = [
  0.980049015270599, 0.971902088356382, 0.9656966817138625, 0.9604960723328706, 0.9559374552530502, 0.951834775158834,
  0.9480775143391714,
];

/** The day on which a person's habits are looked at, and how far back. */
export interface Viewpoint {
  readonly today: number;
  readonly windowDays: number;
  readonly weekStart: WeekStart;
}

export function viewpointOf(request: {
  readonly asOf: string;
  readonly windowDays?: number;
  readonly weekStart?: WeekStart;
}): Viewpoint {
  return {
    today: dayNumber(request.asOf),
    windowDays: request.windowDays ?? DEFAULT_WINDOW_DAYS,
    weekStart: request.weekStart ?? 'MONDAY',
  };
}

/** What a habit's logs amount to, before any score. */
export interface HabitRecord {
  readonly logs: readonly ReadLog[];
  readonly schedule: Schedule;
  readonly weekStart: WeekStart;
  readonly book: DayBook;
  readonly occasions: readonly Occasion[];
  /** 1 for each scheduled day that is neither pending nor excused. */
  readonly counted: Uint8Array;
  /** Of the window. */
  readonly completion: Completion;
  /** Of the window before it. */
  readonly previous: Completion;
  readonly streaks: Streaks;
  readonly skipBudgetRemaining: number;
  /** 0 to 1, full precision. */
  readonly strength: number;
  /** Whether anything was kept or missed in the whole history. */
  readonly evidence: boolean;
}

export function habitRecord(habit: HabitHistory, { today, windowDays, weekStart }: Viewpoint): HabitRecord {
  const schedule = scheduleOf(habit);
  const logs = readLogs(habit);
  const book = dayBook(logs, schedule, startOf(habit, logs, today), today);
  const occasions = occasionsOf(book, schedule, weekStart);
  const counted = countedDays(book, schedule, occasions);
  const lastDay = schedule.unit === 'day' ? today : firstDayOfWeek(today, weekStart) + 6;
  return {
    logs,
    schedule,
    weekStart,
    book,
    occasions,
    counted,
    completion: completionOf(occasions, today - windowDays),
    previous: completionOf(occasions, today - 2 * windowDays, today - windowDays),
    streaks: streaksOf(occasions),
    skipBudgetRemaining: skipBudgetRemaining(occasions, lastDay),
    strength: strengthOf(countedCompletion(book.completion, counted), schedule),
    evidence: occasions.some(({ verdict }) => isCounted(verdict)),
  };
}

/** The day on which the history begins: the person's own, or that of the earliest log, at latest the creation day. */
function startOf({ startDate, createdOn }: HabitHistory, logs: readonly ReadLog[], today: number): number {
  if (startDate) return dayNumber(startDate);
  let start = createdOn ? dayNumber(createdOn) : today;
  for (const { day } of logs) if (day < start) start = day;
  return start;
}

/** The numbers shown beside a habit. */
export interface HabitStats {
  completionRate: number;
  currentStreak: number;
  bestStreak: number;
  streakUnit: 'day' | 'week';
  strength: number;
  skipBudgetRemaining: number;
}

/**
 * @param asOf evaluation day, local date
 * @returns completion of the last 90 days, streaks and strength of the whole history
 */
export function habitStats(habit: HabitHistory, asOf: string, weekStart?: WeekStart): HabitStats {
  const record = habitRecord(habit, viewpointOf({ asOf, weekStart }));
  return {
    completionRate: round4(record.completion.rate),
    currentStreak: record.streaks.current,
    bestStreak: record.streaks.best,
    streakUnit: record.schedule.unit,
    strength: round4(record.strength),
    skipBudgetRemaining: record.skipBudgetRemaining,
  };
}

/**
 * How settled a habit is: a slow exponential mean of the completion, of the last seven counted days for week-type habits. An
 * excused week is in none of them, as if it had not been scheduled. Display only: as a forecast it is weak.
 * @param days completion of each counted day, oldest first
 * @returns 0 to 1, full precision
 * @see Buyalskaya et al. 2023; Zhang et al. 2021
 */
function strengthOf(days: Float64Array, { unit, target }: Schedule): number {
  const kept = KEPT_PER_DAY[Math.min(7, target) - 1]!;
  let strength = 0;
  for (let day = 0; day < days.length; day++) {
    const done = unit === 'day' ? days[day]! : Math.min(1, completionOfSeven(days, day) / target);
    strength = kept * strength + (1 - kept) * done;
  }
  return strength;
}

function completionOfSeven(days: Float64Array, last: number): number {
  let sum = 0;
  for (let day = Math.max(0, last - 6); day <= last; day++) sum += days[day]!;
  return sum;
}

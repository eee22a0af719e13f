import { round4 } from '../numbers';
import { dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { dayBook, type DayBook } from './day-book';
import { type AnyHistory, DEFAULT_WINDOW_DAYS, type HabitTerms } from './habit-history';
import {
  type Completion,
  completionOf,
  countedDays,
  countedCompletion,
  type Occasions,
  occasionsOf,
  skipBudgetRemaining,
  type Streaks,
  streaksOf,
} from './occasions';
import { type OrderedLogs, readLogs } from './read-logs';
import { type Schedule, scheduleOf } from './schedule';
import { strengthsOf } from './strength';

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
  readonly logs: OrderedLogs;
  readonly schedule: Schedule;
  /** Day number of a start that the person gave and that lies ahead; null once it has begun. */
  readonly startsOn: number | null;
  readonly weekStart: WeekStart;
  readonly book: DayBook;
  readonly occasions: Occasions;
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

export function habitRecord(habit: AnyHistory, { today, windowDays, weekStart }: Viewpoint): HabitRecord {
  const schedule = scheduleOf(habit);
  const logs = readLogs(habit);
  const book = dayBook(logs, schedule, startOf(habit, logs, today), today);
  const occasions = occasionsOf(book, schedule, weekStart);
  const counted = countedDays(book, schedule, occasions);
  const lastDay = schedule.unit === 'day' ? today : firstDayOfWeek(today, weekStart) + 6;
  return {
    logs,
    schedule,
    startsOn: habit.startDate && book.start > today ? book.start : null,
    weekStart,
    book,
    occasions,
    counted,
    completion: completionOf(occasions, today - windowDays),
    previous: completionOf(occasions, today - 2 * windowDays, today - windowDays),
    streaks: streaksOf(occasions),
    skipBudgetRemaining: skipBudgetRemaining(occasions, lastDay),
    strength: strengthsOf(countedCompletion(book.completion, counted), schedule).at(-1) ?? 0,
    evidence: occasions.evidence,
  };
}

/** The day on which the history begins: the person's own, or that of the earliest log, at latest the creation day. */
function startOf({ startDate, createdOn }: HabitTerms, { days }: OrderedLogs, today: number): number {
  if (startDate) return dayNumber(startDate);
  return Math.min(createdOn ? dayNumber(createdOn) : today, days[0] ?? today);
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
export function habitStats(habit: AnyHistory, asOf: string, weekStart?: WeekStart): HabitStats {
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

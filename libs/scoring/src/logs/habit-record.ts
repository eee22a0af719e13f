import type { HistoryFacts } from '../habits/scored-habit';
import { round4 } from '../numbers';
import { civilDate, dayNumber, firstDayOfWeek, weekdayOf, type WeekStart } from './civil-days';
import { dayBook, type DayBook, isDue, type Schedule, scheduleOf } from './day-book';
import { type HabitHistory, type DayLog, DEFAULT_WINDOW_DAYS, type HabitTerms, readLogs } from './habit-history';
import { countedCompletion, strengthsOf } from './lapse-risk';
import {
  type Completion,
  completionOf,
  countedDays,
  isEvidence,
  type Occasion,
  occasionsOf,
  type Run,
  runsOf,
  skipBudgetRemaining,
} from './occasions';
import type { WeekdayFinding } from './weekdays';

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

/** The occasions and streaks of a habit's logs, before any score. */
export interface HabitRecord {
  readonly logs: readonly DayLog[];
  readonly schedule: Schedule;
  /** Day number of a start that the person gave and that is in the future; null once it has begun. */
  readonly startsOn: number | null;
  readonly weekStart: WeekStart;
  readonly book: DayBook;
  readonly occasions: readonly Occasion[];
  /** 1 for each scheduled day that is neither pending nor excused. */
  readonly counted: readonly number[];
  /** Of the window. */
  readonly completion: Completion;
  /** Of the window before it. */
  readonly previous: Completion;
  readonly streaks: { readonly runs: readonly Run[]; readonly current: number; readonly best: number };
  readonly skipBudgetRemaining: number;
  /** 0 to 1, full precision. */
  readonly strength: number;
  /** Whether anything was kept or missed in the whole history. */
  readonly evidence: boolean;
}

export function habitRecord(habit: HabitHistory, { today, windowDays, weekStart }: Viewpoint): HabitRecord {
  const schedule = scheduleOf(habit);
  const logs = readLogs(habit, schedule);
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
    streaks: runsOf(occasions),
    skipBudgetRemaining: skipBudgetRemaining(occasions, lastDay),
    strength: strengthsOf(countedCompletion(book, counted), schedule).at(-1) ?? 0,
    evidence: occasions.some(isEvidence),
  };
}

/** The day on which the history begins: the person's own, or that of the earliest log, at latest the creation day. */
function startOf({ startDate, createdOn }: HabitTerms, logs: readonly DayLog[], today: number): number {
  if (startDate) return dayNumber(startDate);
  return Math.min(createdOn ? dayNumber(createdOn) : today, logs[0]?.day ?? today);
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

/** For actions and texts, beside the scores. */
export function historyFacts(record: HabitRecord, worstWeekday: WeekdayFinding | null): HistoryFacts {
  const { schedule, startsOn, book, completion, evidence } = record;
  const isWeekly = schedule.unit === 'week';
  return {
    streakUnit: schedule.unit,
    target: schedule.target,
    occasions: completion.occasions,
    keptOccasions: completion.kept,
    worstWeekday: isWeekly ? null : worstWeekday,
    startsOn: startsOn === null ? null : civilDate(startsOn),
    isUnderway: isWeekly && !evidence && book.completion.some((earned) => earned > 0),
    nextDue: nextDueOf(record),
  };
}

function nextDueOf({ schedule, book: { start, today, entry }, occasions }: HabitRecord): HistoryFacts['nextDue'] {
  const week = schedule.unit === 'week' ? occasions.at(-1) : undefined;
  if (week && week.day >= today && week.verdict === 'kept') return 'next week';
  if (isDue(schedule, today) && entry[today - start] === 'nothing') return 'today';
  let day = today + 1;
  while (!isDue(schedule, day)) day++;
  return day === today + 1 ? 'tomorrow' : weekdayOf(day) + 1;
}

import { dayNumber } from './civil-days';
import { completionOf, isCounted, type Completion } from './completion';
import { countedDays } from './counted-days';
import { dayBook, type DayBook } from './day-book';
import { DEFAULT_WINDOW_DAYS, type HabitHistory } from './habit-history';
import { occasionsOf, type Occasion } from './occasions';
import { readLogs, type ReadLog } from './read-log';
import { scheduleOf, type Schedule } from './schedule';
import { skipBudgetRemaining } from './skip-budget';
import { streaksOf, type Streaks } from './streaks';
import { strengthOf } from './strength';
import { creditOfCounted } from './lapse-risk';
import { firstDayOfWeek, type WeekStart } from './week';

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
    strength: strengthOf(creditOfCounted(book.credit, counted), schedule),
    evidence: occasions.some(({ verdict }) => isCounted(verdict)),
  };
}

/** The day on which the history begins: the person's own, or that of the earliest log, at latest the creation day. */
function startOf({ startDate, createdOn }: HabitHistory, logs: readonly ReadLog[], today: number): number {
  if (startDate) return dayNumber(startDate);
  let start = createdOn ? dayNumber(createdOn) : today;
  for (const { day } of logs) if (day <= today && day < start) start = day;
  return start;
}

import { ROUNDING_ERROR, round4 } from '../numbers';
import { dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { type AnyHistory, DEFAULT_WINDOW_DAYS } from './habit-history';
import { habitRecord, type HabitRecord } from './habit-record';
import type { Occasion } from './occasions';
import { isDue } from './schedule';

/** `due` and `open_week`: it may still be done. `off`: nothing was due. */
export type DayState = 'due' | 'kept' | 'missed' | 'excused' | 'open_week' | 'off';

/** How a habit stands on one day, beside all others. */
export interface HistoryDay {
  habit: string;
  state: DayState;
  /** Of that day, as in `HistoryStats`. */
  credit: number;
  /** Sessions that are due in a week. */
  target: number;
  /** What the days of its week have earned, up to the evaluation day. */
  done_this_week: number;
  /** As it is on the evaluation day. */
  current_streak: number;
  streak_unit: 'day' | 'week';
  /** Whether the streak ends unless it is done on that very day; never of a day that is over. */
  at_risk: boolean;
}

/**
 * How a habit stands on a day: the same state as `historyStats` gives, and what is left to do.
 * @param range today: evaluation day; one before `date` is moved to it
 * @throws RangeError when a date is none
 */
export function historyDay(
  history: AnyHistory,
  range: { readonly date: string; readonly today: string; readonly weekStart?: WeekStart },
): HistoryDay {
  const { weekStart = 'MONDAY' } = range;
  const day = dayNumber(range.date);
  const today = Math.max(day, dayNumber(range.today));
  const record = habitRecord(history, { today, windowDays: DEFAULT_WINDOW_DAYS, weekStart });
  const { schedule, streaks } = record;
  const state = stateOn(record, day);
  const done = earnedInWeekOf(record, day);
  return {
    habit: history.name,
    state,
    credit: round4(creditOn(record, day)),
    target: schedule.target,
    done_this_week: round4(done),
    current_streak: streaks.current,
    streak_unit: schedule.unit,
    at_risk: day === today && streaks.current > 0 && isLastChance(record, state, done),
  };
}

function stateOn(record: HabitRecord, day: number): DayState {
  const { schedule, book, weekStart } = record;
  const lastOfWeek = firstDayOfWeek(day, weekStart) + 6;
  const verdict = verdictOf(record, schedule.unit === 'day' ? day : lastOfWeek);
  if (verdict && verdict !== 'pending') return verdict;
  if (schedule.unit === 'day') return verdict ? 'due' : 'off';
  // A first, partial week is open too, though it is not missed when it ends.
  return day >= book.start && lastOfWeek >= book.today ? 'open_week' : 'off';
}

function verdictOf({ occasions }: HabitRecord, day: number): Occasion['verdict'] | undefined {
  for (const occasion of occasions) if (occasion.day === day) return occasion.verdict;
  return undefined;
}

function creditOn({ schedule, book }: HabitRecord, day: number): number {
  return isDue(schedule, day) ? (book.completion[day - book.start] ?? 0) : 0;
}

function earnedInWeekOf(record: HabitRecord, day: number): number {
  const first = firstDayOfWeek(day, record.weekStart);
  let earned = 0;
  for (let one = first; one < first + 7; one++) earned += creditOn(record, one);
  return earned;
}

/** A week needs this day when the days after it cannot bring what is missing. */
function isLastChance({ schedule, book, weekStart }: HabitRecord, state: DayState, done: number): boolean {
  if (state !== 'open_week') return state === 'due';
  const daysAfter = firstDayOfWeek(book.today, weekStart) + 6 - book.today;
  return schedule.target - done > daysAfter * Math.ceil(schedule.target / 7) + ROUNDING_ERROR;
}

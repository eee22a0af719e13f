import { round4, ROUNDING_ERROR } from '../numbers';
import { civilDate, dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { isDue } from './day-book';
import { type HabitHistory, DEFAULT_WINDOW_DAYS } from './habit-history';
import { habitRecord, type HabitRecord } from './habit-record';
import { countedCompletion, strengthsOf } from './lapse-risk';
import type { Occasion } from './occasions';
import { weekdayMeans } from './weekdays';

/** `off`: nothing was due. */
export type OccasionState = Occasion['verdict'] | 'off';

/** A habit as a calendar and curves show it. Dates are local. */
export interface HistoryStats {
  habit: string;
  /** Both included, as asked for. */
  from: string;
  to: string;
  streak_unit: 'day' | 'week';
  /** Every day; the credit of one is 0 to 1, above 7 sessions a week to `ceil(target / 7)`. */
  days: { date: string; state: OccasionState; credit: number }[];
  /**
   * Of week-type habits alone: every week that has a day shown, with what its days have earned of the target. Their days are
   * `kept` with any credit, else `off`.
   */
  weeks?: { start: string; state: OccasionState; credit: number; target: number }[];
  /** 1 (Monday) to 7 (Sunday), over the counted days shown; the rate is null below 4 of them. */
  weekdays: { weekday: number; completion_rate: number | null; n: number }[];
  /** After the last day of each week and after the last day shown, from the start of the history on. */
  strength: { date: string; value: number }[];
  /** Of the whole history; a run of weeks has the days of the history in them. Null without a best one. */
  streaks: { current: number; best: number; best_from: string | null; best_to: string | null; list: StreakRun[] };
}

/** One streak: its first and last day, and how many days or weeks were kept. */
interface StreakRun {
  from: string;
  to: string;
  length: number;
}

const MOST_RUNS = 10;

/** The range of days that is shown, and the day on which it is evaluated. */
export interface StatsRange {
  /** Local dates, both included. */
  readonly from: string;
  readonly to: string;
  /** Evaluation day, local date. Logs after it are ignored, and days after it are `off`. */
  readonly today: string;
  /** Monday when absent. */
  readonly weekStart?: WeekStart;
}

/**
 * The state of each day and week, with streaks, rates and strength: the same as of `habitStats` and
 * `analyzeLogs` on that day. Takes time and room for every day from `from` to `to`.
 * @returns numbers with at most four decimals; empty lists when `to` is before `from`
 * @throws RangeError when a date is none
 */
export function historyStats(history: HabitHistory, range: StatsRange): HistoryStats {
  const { weekStart = 'MONDAY' } = range;
  const [from, to, today] = [dayNumber(range.from), dayNumber(range.to), dayNumber(range.today)];
  const record = habitRecord(history, { today, windowDays: DEFAULT_WINDOW_DAYS, weekStart });
  const { schedule, book, counted } = record;
  return {
    habit: history.name,
    from: range.from,
    to: range.to,
    streak_unit: schedule.unit,
    days: daysShown(record, from, to),
    ...(schedule.unit === 'week' && { weeks: weeksShown(record, from, to) }),
    weekdays: weekdayMeans(book, counted, from, to).map(({ weekday, mean, n }) => {
      return { weekday, completion_rate: mean === null ? null : round4(mean), n };
    }),
    strength: strengthShown(record, from, to),
    streaks: streaksShown(record),
  };
}

function daysShown(record: HabitRecord, from: number, to: number): HistoryStats['days'] {
  const verdicts = record.schedule.unit === 'day' ? verdictsByDay(record) : undefined;
  const days: HistoryStats['days'] = [];
  for (let day = from; day <= to; day++) {
    const credit = creditOn(record, day);
    const state = verdicts ? verdicts.get(day) : credit > 0 ? 'kept' : undefined;
    days.push({ date: civilDate(day), state: state ?? 'off', credit: round4(credit) });
  }
  return days;
}

function weeksShown(record: HabitRecord, from: number, to: number): NonNullable<HistoryStats['weeks']> {
  const { schedule, weekStart } = record;
  const verdicts = verdictsByDay(record);
  const weeks: NonNullable<HistoryStats['weeks']> = [];
  for (let first = firstDayOfWeek(from, weekStart); first <= to; first += 7) {
    const state = verdicts.get(first + 6) ?? 'off';
    const credit = round4(earnedInWeekOf(record, first));
    weeks.push({ start: civilDate(first), state, credit, target: schedule.target });
  }
  return weeks;
}

function verdictsByDay({ occasions }: HabitRecord): Map<number, Occasion['verdict']> {
  return new Map(occasions.map(({ day, verdict }) => [day, verdict]));
}

function strengthShown(record: HabitRecord, from: number, to: number): HistoryStats['strength'] {
  const { schedule, book, counted, weekStart } = record;
  const strengths = strengthsOf(countedCompletion(book, counted), schedule);
  const last = Math.min(to, book.today);
  const shown: HistoryStats['strength'] = [];
  let before = 0;
  for (let day = book.start; day <= last; day++) {
    before += counted[day - book.start]!;
    if (day < from || (day !== last && firstDayOfWeek(day + 1, weekStart) !== day + 1)) continue;
    shown.push({ date: civilDate(day), value: round4(strengths[before - 1] ?? 0) });
  }
  return shown;
}

/** The ten longest, the earlier one first where they are equal: so the best run is the first. */
function streaksShown({ schedule, book, streaks: { runs, current, best } }: HabitRecord): HistoryStats['streaks'] {
  const longest = runs.toSorted((one, other) => other.length - one.length || one.first - other.first);
  const list = longest.slice(0, MOST_RUNS).map(({ first, last, length }) => ({
    from: civilDate(schedule.unit === 'day' ? first : Math.max(first - 6, book.start)),
    to: civilDate(Math.min(last, book.today)),
    length,
  }));
  return { current, best, best_from: list[0]?.from ?? null, best_to: list[0]?.to ?? null, list };
}

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
  /** Completion of the days of its week, up to the evaluation day. */
  done_this_week: number;
  /** As it is on the evaluation day. */
  current_streak: number;
  streak_unit: 'day' | 'week';
  /** Whether the streak ends unless it is done on that very day; never of a day that is over, or of a week that is lost. */
  at_risk: boolean;
}

/**
 * How a habit stands on a day: the same state as `historyStats` gives, and what is left to do.
 * @param range today: evaluation day; one before `date` is moved to it
 * @throws RangeError when a date is none
 */
export function historyDay(
  history: HabitHistory,
  range: { readonly date: string; readonly today: string; readonly weekStart?: WeekStart },
): HistoryDay {
  const { weekStart = 'MONDAY' } = range;
  const day = dayNumber(range.date);
  const today = Math.max(day, dayNumber(range.today));
  const record = habitRecord(history, { today, windowDays: DEFAULT_WINDOW_DAYS, weekStart });
  const { schedule, streaks } = record;
  const state = stateOn(record, day);
  const credit = creditOn(record, day);
  const done = earnedInWeekOf(record, day);
  return {
    habit: history.name,
    state,
    credit: round4(credit),
    target: schedule.target,
    done_this_week: round4(done),
    current_streak: streaks.current,
    streak_unit: schedule.unit,
    at_risk: day === today && streaks.current > 0 && isLastChance(record, state, { credit, done }),
  };
}

function stateOn(record: HabitRecord, day: number): DayState {
  const { schedule, book, weekStart } = record;
  const lastOfWeek = firstDayOfWeek(day, weekStart) + 6;
  const last = schedule.unit === 'day' ? day : lastOfWeek;
  const verdict = record.occasions.find((occasion) => occasion.day === last)?.verdict;
  if (verdict && verdict !== 'pending') return verdict;
  if (schedule.unit === 'day') return verdict ? 'due' : 'off';
  // A first, partial week is open too, though it is not missed when it ends.
  return day >= book.start && lastOfWeek >= book.today ? 'open_week' : 'off';
}

/** Work on a day that is not due earns nothing. */
function creditOn({ schedule, book }: HabitRecord, day: number): number {
  return isDue(schedule, day) ? (book.completion[day - book.start] ?? 0) : 0;
}

function earnedInWeekOf(record: HabitRecord, day: number): number {
  const first = firstDayOfWeek(day, record.weekStart);
  let earned = 0;
  for (let one = first; one < first + 7; one++) earned += creditOn(record, one);
  return earned;
}

/** A week needs this day when the days after it cannot bring what is missing, and together with what is left of this one can. */
function isLastChance(
  { schedule, book, weekStart }: HabitRecord,
  state: DayState,
  { credit, done }: Record<'credit' | 'done', number>,
): boolean {
  if (state !== 'open_week') return state === 'due';
  const most = Math.ceil(schedule.target / 7);
  const later = most * (firstDayOfWeek(book.today, weekStart) + 6 - book.today);
  const missing = schedule.target - done;
  return missing > later + ROUNDING_ERROR && missing <= later + most - credit + ROUNDING_ERROR;
}

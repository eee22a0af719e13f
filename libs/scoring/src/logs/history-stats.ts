import { round4 } from '../numbers';
import { civilDate, dayNumber, firstDayOfWeek, type WeekStart } from './civil-days';
import { type AnyHistory, DEFAULT_WINDOW_DAYS } from './habit-history';
import { habitRecord, type HabitRecord } from './habit-record';
import { countedCompletion, type Occasion, type Occasions } from './occasions';
import { isDue } from './schedule';
import { strengthsOf } from './strength';
import { toldRate, weekdayMeans } from './weekdays';

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
export interface StreakRun {
  from: string;
  to: string;
  length: number;
}

const MOST_RUNS = 10;

/** What is shown, and from where it is seen. */
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
 * What became of each day and week, and the streaks, rates and strength that come of it: the same as of `habitStats` and
 * `analyzeLogs` on that day. Takes time and room for every day from `from` to `to`.
 * @returns numbers with at most four decimals; empty lists when `to` is before `from`
 * @throws RangeError when a date is none
 */
export function historyStats(history: AnyHistory, range: StatsRange): HistoryStats {
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
      return { weekday, completion_rate: mean === null ? null : toldRate(mean), n };
    }),
    strength: strengthShown(record, from, to),
    streaks: streaksShown(record),
  };
}

function daysShown({ schedule, book, occasions }: HabitRecord, from: number, to: number): HistoryStats['days'] {
  const verdicts = schedule.unit === 'day' ? verdictsByDay(occasions) : undefined;
  const days: HistoryStats['days'] = [];
  for (let day = from; day <= to; day++) {
    // Work on a day that is not due earns nothing.
    const credit = isDue(schedule, day) ? (book.completion[day - book.start] ?? 0) : 0;
    const state = verdicts ? verdicts.get(day) : credit > 0 ? 'kept' : undefined;
    days.push({ date: civilDate(day), state: state ?? 'off', credit: round4(credit) });
  }
  return days;
}

function weeksShown(record: HabitRecord, from: number, to: number): NonNullable<HistoryStats['weeks']> {
  const { schedule, book, occasions, weekStart } = record;
  const verdicts = verdictsByDay(occasions);
  const weeks: NonNullable<HistoryStats['weeks']> = [];
  for (let first = firstDayOfWeek(from, weekStart); first <= to; first += 7) {
    let credit = 0;
    for (let day = first; day < first + 7; day++) credit += book.completion[day - book.start] ?? 0;
    const state = verdicts.get(first + 6) ?? 'off';
    weeks.push({ start: civilDate(first), state, credit: round4(credit), target: schedule.target });
  }
  return weeks;
}

function verdictsByDay(occasions: Occasions): Map<number, Occasion['verdict']> {
  return new Map(Array.from(occasions, ({ day, verdict }) => [day, verdict]));
}

function strengthShown(record: HabitRecord, from: number, to: number): HistoryStats['strength'] {
  const { schedule, book, counted, weekStart } = record;
  const strengths = strengthsOf(countedCompletion(book.completion, counted), schedule);
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
function streaksShown({ schedule, book, occasions, streaks: { current, best } }: HabitRecord): HistoryStats['streaks'] {
  const runs = keptRuns(occasions).toSorted((one, other) => other.length - one.length || one.first - other.first);
  const list = runs.slice(0, MOST_RUNS).map(({ first, last, length }) => ({
    from: civilDate(schedule.unit === 'day' ? first : Math.max(first - 6, book.start)),
    to: civilDate(Math.min(last, book.today)),
    length,
  }));
  return { current, best, best_from: list[0]?.from ?? null, best_to: list[0]?.to ?? null, list };
}

/** Pending and excused occasions neither add to a run nor end it. */
function keptRuns(occasions: Occasions): { first: number; last: number; length: number }[] {
  const runs: { first: number; last: number; length: number }[] = [];
  let isOpen = false;
  for (const { day, verdict } of occasions) {
    if (verdict === 'missed') isOpen = false;
    if (verdict !== 'kept') continue;
    const run = runs.at(-1);
    if (isOpen && run) Object.assign(run, { last: day, length: run.length + 1 });
    else runs.push({ first: day, last: day, length: 1 });
    isOpen = true;
  }
  return runs;
}

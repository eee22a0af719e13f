import { round4, ROUNDING_ERROR } from '../numbers';
import { weekdayOf } from './civil-days';
import type { DayBook } from './day-book';

const FEWEST_DAYS = 4;
const FEWEST_OTHER_DAYS = 12;
/** Two-sided 5 % over seven weekdays. */
const SIGNIFICANT_Z = 2.69;
/** A best weekday is one on which at least half is done. */
const GOOD_MEAN = 0.5;

/** Completion on one weekday. */
interface WeekdayMean {
  /** 1 (Monday) to 7 (Sunday). */
  readonly weekday: number;
  /** Counted days behind it. */
  readonly n: number;
  /** 0 to 1, full precision; null below 4 days. */
  readonly mean: number | null;
}

/**
 * @param counted 1 for each scheduled day that is neither pending nor excused
 * @param from first day that is looked at
 * @param until last one
 * @returns all seven, Monday first
 */
export function weekdayMeans(book: DayBook, counted: readonly number[], from: number, until: number): WeekdayMean[] {
  const { sums, days } = sumsByWeekday(book, counted, from, until);
  return days.map((n, i) => ({ weekday: i + 1, n, mean: n < FEWEST_DAYS ? null : sums[i]! / n }));
}

/** A weekday that differs from the others. */
export interface WeekdayFinding {
  /** 1 (Monday) to 7 (Sunday). */
  weekday: number;
  completion_rate: number;
  /** Days behind it. */
  n: number;
}

/**
 * The weekdays that are better and worse than the others by more than chance: of seven equal ones some weekday is always
 * the highest.
 * @param counted as of `weekdayMeans`, as are `from` and `until`
 * @returns the earliest on ties; null without a difference
 */
export function weekdayFindings(
  book: DayBook,
  counted: readonly number[],
  from: number,
  until: number,
): { best: WeekdayFinding | null; worst: WeekdayFinding | null } {
  const { sums, days } = sumsByWeekday(book, counted, from, until);
  const total = sums.reduce((sum, one) => sum + one, 0);
  const n = days.reduce((sum, one) => sum + one, 0);
  const mean = n === 0 ? 0 : total / n;
  let [best, worst] = [-1, -1];
  let [highest, lowest] = [-Infinity, Infinity];
  const differs = mean > ROUNDING_ERROR && mean < 1 - ROUNDING_ERROR;
  for (let i = 0; differs && i < 7; i++) {
    const others = n - days[i]!;
    if (days[i]! < FEWEST_DAYS || others < FEWEST_OTHER_DAYS) continue;
    const difference = sums[i]! / days[i]! - (total - sums[i]!) / others;
    const z = difference / Math.sqrt(mean * (1 - mean) * (1 / days[i]! + 1 / others));
    if (z > highest + ROUNDING_ERROR) [best, highest] = [i, z];
    if (z < lowest - ROUNDING_ERROR) [worst, lowest] = [i, z];
  }
  const finding = (i: number) => ({ weekday: i + 1, completion_rate: round4(sums[i]! / days[i]!), n: days[i]! });
  const isBest = highest >= SIGNIFICANT_Z - ROUNDING_ERROR && sums[best]! / days[best]! >= GOOD_MEAN - ROUNDING_ERROR;
  const isWorst = lowest <= -SIGNIFICANT_Z + ROUNDING_ERROR;
  return { best: isBest ? finding(best) : null, worst: isWorst ? finding(worst) : null };
}

/** Two sessions on one day count once, as a rate has no value above 1. */
function sumsByWeekday(
  { start, completion }: DayBook,
  counted: readonly number[],
  from: number,
  until: number,
): { sums: number[]; days: number[] } {
  const sums = [0, 0, 0, 0, 0, 0, 0];
  const days = [0, 0, 0, 0, 0, 0, 0];
  const end = Math.min(completion.length, until - start + 1);
  for (let at = Math.max(0, from - start); at < end; at++) {
    if (counted[at] === 0) continue;
    const weekday = weekdayOf(start + at);
    sums[weekday]! += Math.min(1, completion[at]!);
    days[weekday]!++;
  }
  return { sums, days };
}

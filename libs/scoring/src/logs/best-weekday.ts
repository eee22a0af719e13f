import { round4 } from '../numbers/round4';
import { ROUNDING_ERROR } from '../numbers/rounding-error';
import type { DayBook } from './day-book';
import { weekdayOf } from './week';

const FEWEST_DAYS = 4;

export interface BestWeekday {
  /** 1 (Monday) to 7 (Sunday). */
  weekday: number;
  completion_rate: number;
  /** Days behind it. */
  n: number;
}

/**
 * The weekday of the highest mean credit, the earliest one on ties.
 * @param counted 1 for each scheduled day that is neither pending nor excused
 * @param fromDay first day that is looked at
 * @returns null while no weekday has 4 days
 */
export function bestWeekday({ start, credit }: DayBook, counted: Uint8Array, fromDay: number): BestWeekday | null {
  const sums = new Float64Array(7);
  const days = new Uint32Array(7);
  for (let at = Math.max(0, fromDay - start); at < credit.length; at++) {
    if (counted[at] === 0) continue;
    const weekday = weekdayOf(start + at);
    sums[weekday]! += credit[at]!;
    days[weekday]!++;
  }
  const means = sums.map((sum, weekday) => (days[weekday]! < FEWEST_DAYS ? -1 : sum / days[weekday]!));
  const highest = Math.max(...means);
  if (highest < 0) return null;
  const best = means.findIndex((mean) => mean >= highest - ROUNDING_ERROR);
  return {
    weekday: best + 1,
    // Two sessions on one day count once here: a rate has no value above 1.
    completion_rate: round4(Math.min(1, means[best]!)),
    n: days[best]!,
  };
}

import type { DayBook } from './day-book';
import type { Schedule } from './schedule';

/** 0.5^(sqrt(T/7)/13) for T = 1 to 7 sessions a week. */
const KEPT_PER_DAY: readonly number[] = [
  0.980049015270599, 0.971902088356382, 0.9656966817138625, 0.9604960723328706, 0.9559374552530502, 0.951834775158834,
  0.9480775143391714,
];

/**
 * How settled a habit is: a slow exponential mean of the credit. Display only: as a forecast it is weak.
 * @param counted 1 for each scheduled day that is neither pending nor excused
 * @returns 0 to 1, full precision
 * @see Buyalskaya et al. 2023; Zhang et al. 2021
 */
export function strengthOf({ credit }: DayBook, counted: Uint8Array, { unit, target }: Schedule): number {
  const kept = KEPT_PER_DAY[Math.min(7, target) - 1]!;
  let strength = 0;
  for (let day = 0; day < credit.length; day++) {
    if (counted[day] === 0) continue;
    const done = unit === 'day' ? credit[day]! : Math.min(1, creditOfWeekEnding(day, credit) / target);
    strength = kept * strength + (1 - kept) * done;
  }
  return strength;
}

function creditOfWeekEnding(day: number, credit: Float64Array): number {
  let sum = 0;
  for (let at = Math.max(0, day - 6); at <= day; at++) sum += credit[at]!;
  return sum;
}

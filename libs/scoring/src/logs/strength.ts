import type { Schedule } from './schedule';

/** 0.5^(sqrt(T/7)/13) for T = 1 to 7 sessions a week. */
const KEPT_PER_DAY: readonly number[] = [
  0.980049015270599, 0.971902088356382, 0.9656966817138625, 0.9604960723328706, 0.9559374552530502, 0.951834775158834,
  0.9480775143391714,
];

/** Used again for each history: memory outside of its heap makes V8 collect all of it more often. */
let scratch = new Float64Array(0);

/**
 * How settled a habit is: a slow exponential mean of the completion, of the last seven counted days for week-type habits. An
 * excused week is in none of them, as if it had not been scheduled. Display only: as a forecast it is weak.
 * @param days completion of each counted day, oldest first
 * @returns after each of these days, 0 to 1, full precision; overwritten by the next call
 * @see Buyalskaya et al. 2023; Zhang et al. 2021
 */
export function strengthsOf(days: Float64Array, { unit, target }: Schedule): Float64Array {
  const kept = KEPT_PER_DAY[Math.min(7, target) - 1]!;
  if (scratch.length < days.length) scratch = new Float64Array(2 * days.length);
  const strengths = scratch.subarray(0, days.length);
  let strength = 0;
  for (let day = 0; day < days.length; day++) {
    const done = unit === 'day' ? days[day]! : Math.min(1, completionOfSeven(days, day) / target);
    strength = kept * strength + (1 - kept) * done;
    strengths[day] = strength;
  }
  return strengths;
}

function completionOfSeven(days: Float64Array, last: number): number {
  let sum = 0;
  for (let day = Math.max(0, last - 6); day <= last; day++) sum += days[day]!;
  return sum;
}

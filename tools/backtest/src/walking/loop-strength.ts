import type { Frequency } from '../reading/frequency';
import type { ObservedDays } from './observed-days';

/**
 * The strength that Loop Habit Tracker shows, before each day: an exponential mean of the days from the first on, with a
 * half-life of 13 days for daily habits and longer for rarer ones; skipped days leave it as it was.
 * @returns 0 to 1; one place more than there are days
 * @see Loop Habit Tracker, its documentation of the habit score
 */
export function loopStrength({ credit, skipped }: ObservedDays, { times, days }: Frequency): Float64Array {
  const kept = 0.5 ** (Math.sqrt(times / days) / 13);
  const isDaily = times >= days;
  const strength = new Float64Array(credit.length + 1);
  let recent = 0;
  for (let day = 0; day < credit.length; day++) {
    recent += credit[day]! - (day >= days ? credit[day - days]! : 0);
    const value = isDaily ? credit[day]! : recent / times;
    const before = strength[day]!;
    strength[day + 1] = skipped[day] === 1 ? before : before * kept + Math.max(0, Math.min(1, value)) * (1 - kept);
  }
  return strength;
}

import { isCounted } from './completion';
import { NOTHING, type DayBook } from './day-book';
import type { Occasion } from './occasions';
import type { Schedule } from './schedule';

/**
 * Marks the scheduled days that are neither pending nor excused, one byte per day of the book: what risk, strength and
 * correlations look at. Of a week-type habit every day is scheduled; an excused week leaves with all its days, a
 * running or missed one stays, or a completed session could raise the risk.
 */
export function countedDays(
  { start, today, entry }: DayBook,
  schedule: Schedule,
  occasions: readonly Occasion[],
): Uint8Array {
  const counted = new Uint8Array(entry.length);
  if (schedule.unit === 'day') {
    for (const { day, verdict } of occasions) if (isCounted(verdict)) counted[day - start] = 1;
    return counted;
  }
  counted.fill(1);
  if (entry[today - start] === NOTHING) counted[today - start] = 0;
  for (const { day, verdict } of occasions) {
    if (verdict === 'excused') counted.fill(0, Math.max(0, day - 6 - start), day + 1 - start);
  }
  return counted;
}

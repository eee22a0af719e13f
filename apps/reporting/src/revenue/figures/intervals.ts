import { dayOf, lastOfMonth, shifted, type Window } from './window';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** More days have no hours: the points would be too many to look at. */
export const DAYS_WITH_HOURS = 8;

/** Days, or an hour of one, that make one point. */
export interface Bucket {
  from: string;
  to: string;
  hour: number | null;
  /** Whether all of the hour, day, week or month is in it and over. */
  complete: boolean;
}

/** The points of a window, oldest first. Weeks begin on Monday; the first and the last week or month may be a part of one. */
export function bucketsOf({ from, to }: Window, interval: Interval, now: Date): Bucket[] {
  const today = dayOf(now.getTime());
  const buckets: Bucket[] = [];
  for (let first = from; first <= to;) {
    const end = endOf(first, interval);
    const last = end < to ? end : to;
    if (interval === 'hour') buckets.push(...hoursOf(first, now));
    else {
      const begins = first === from ? beginOf(first, interval) : first;
      buckets.push({ from: first, to: last, hour: null, complete: begins === first && end <= to && end < today });
    }
    first = shifted(last, 1);
  }
  return buckets;
}

function hoursOf(day: string, now: Date): Bucket[] {
  const startMs = Date.parse(day);
  const hours = Array.from({ length: 24 }, (_, hour) => ({ from: day, to: day, hour }));
  return hours.flatMap((bucket) => {
    const beginsMs = startMs + bucket.hour * 3_600_000;
    return beginsMs > now.getTime() ? [] : [{ ...bucket, complete: beginsMs + 3_600_000 <= now.getTime() }];
  });
}

/** The first day of the week or month that a day is in; of a day, itself. */
export function beginOf(day: string, interval: Interval): string {
  if (interval === 'month') return `${day.slice(0, 7)}-01`;
  return interval === 'week' ? shifted(day, -daysSinceMonday(day)) : day;
}

function endOf(day: string, interval: Interval): string {
  if (interval === 'month') return lastOfMonth(day);
  return interval === 'week' ? shifted(day, 6 - daysSinceMonday(day)) : day;
}

export function daysSinceMonday(day: string): number {
  return (new Date(Date.parse(day)).getUTCDay() + 6) % 7;
}

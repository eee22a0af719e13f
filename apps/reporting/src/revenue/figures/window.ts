import { badQuery } from '@evenkeel/platform/lists';

const DAY_MS = 86_400_000;

/** Whole UTC days, both ends included, as `YYYY-MM-DD`. */
export interface Window {
  days: number;
  from: string;
  to: string;
}

/** Which days are asked for: the last ones, any range, or a calendar month (`YYYY-MM`). */
export type Period = { days: number } | { from: string; to: string } | { month: string };

/** The days of a window, of the last one only the time before `until`. */
export interface Span extends Window {
  /** Null when the last day counts whole. */
  until: Date | null;
}

/** What is compared: complete days of a window, and as many before them. */
export interface Comparison {
  current: Span;
  before: Span;
}

/**
 * The days of a period. `days` ends today; so does the present month, and a month that is over is whole.
 * @throws ValidationFailed when it ends after today
 */
export function windowOf(period: Period, now: Date): Window {
  const today = dayOf(now.getTime());
  if ('days' in period) return windowUntil(now, period.days);
  if ('month' in period) {
    const from = `${period.month}-01`;
    if (from > today) throw badQuery('month', 'out_of_range', `must be at most ${today.slice(0, 7)}`);
    const end = lastOfMonth(from);
    return rangeOf(from, end < today ? end : today);
  }
  if (period.to > today) throw badQuery('to', 'out_of_range', `must be at most ${today}`);
  return rangeOf(period.from, period.to);
}

/** The current UTC day and the `days - 1` before it (D-115). */
export function windowUntil(now: Date, days: number): Window {
  return { days, from: dayOf(now.getTime() - (days - 1) * DAY_MS), to: dayOf(now.getTime()) };
}

/** Both days included. */
export function rangeOf(from: string, to: string): Window {
  return { days: daysBetween(from, to) + 1, from, to };
}

/** From one day to another: 0 for the same. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/**
 * Like with like: the complete days of a window and as many before them; of a month the same days of the month before, all of
 * them when it is complete; today alone with yesterday up to the same time.
 */
export function comparisonOf(period: Period, now: Date): Comparison {
  const { from, to } = windowOf(period, now);
  const today = dayOf(now.getTime());
  if (from === today) {
    const yesterday = dayBefore(today);
    const before = { ...rangeOf(yesterday, yesterday), until: new Date(now.getTime() - DAY_MS) };
    return { current: { ...rangeOf(today, today), until: now }, before };
  }
  const current = rangeOf(from, to === today ? dayBefore(today) : to);
  const before = 'month' in period ? monthBefore(current) : windowBefore(current);
  return { current: { ...current, until: null }, before: { ...before, until: null } };
}

function windowBefore({ days, from }: Window): Window {
  const start = Date.parse(from);
  return { days, from: dayOf(start - days * DAY_MS), to: dayOf(start - DAY_MS) };
}

/** @param window begins with the first of a month */
function monthBefore({ days, from, to }: Window): Window {
  const end = dayBefore(from);
  const first = `${end.slice(0, 7)}-01`;
  const sameDays = shifted(first, days - 1);
  return rangeOf(first, to === lastOfMonth(from) || sameDays > end ? end : sameDays);
}

/** Every day of it, oldest first. */
export function daysOf({ days, from }: Window): string[] {
  return Array.from({ length: days }, (_, index) => shifted(from, index));
}

/** So many days later. */
export function shifted(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

export function dayBefore(day: string): string {
  return shifted(day, -1);
}

/** The last day of the month of a day. */
export function lastOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return dayOf(Date.UTC(year, month, 0));
}

/** The UTC day of an instant. */
export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

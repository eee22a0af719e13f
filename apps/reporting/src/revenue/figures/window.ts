import { badQuery } from '@evenkeel/platform/validation';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** Both ends included: `from` and `to` are at most 1,100 days apart. */
export const MOST_WINDOW_DAYS = 1_101;

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

/** The compared windows: one up to now, and the same weekdays or the month before it. */
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

export function windowUntil(now: Date, days: number): Window {
  return { days, from: dayOf(now.getTime() - (days - 1) * DAY_MS), to: dayOf(now.getTime()) };
}

function rangeOf(from: string, to: string): Window {
  return { days: daysBetween(from, to) + 1, from, to };
}

export function wholeOf(window: Window): Span {
  return { ...window, until: null };
}

export function instantsOf({ from, to }: Pick<Window, 'from' | 'to'>): [from: string, end: string] {
  return [`${from}T00:00:00Z`, `${shifted(to, 1)}T00:00:00Z`];
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/**
 * Like with like: a window is compared with the same weekdays before it, a month with the month before it. While today runs,
 * both sides end at the same time of their last day.
 */
export function comparisonOf(period: Period, now: Date): Comparison {
  const window = windowOf(period, now);
  const current = { ...window, until: window.to === dayOf(now.getTime()) ? now : null };
  return { current, before: 'month' in period ? monthBefore(current) : weekdaysBefore(current) };
}

/** The least number of whole weeks earlier that leaves no day in common. */
function weekdaysBefore({ days, from, to, until }: Span): Span {
  const back = -Math.ceil(days / WEEK_DAYS) * WEEK_DAYS;
  return { days, from: shifted(from, back), to: shifted(to, back), until: until && daysLater(until, back) };
}

/** @param current begins with the first of a month; while that runs, the same days of the month before, if it has them */
function monthBefore({ days, from, until }: Span): Span {
  const end = dayBefore(from);
  const first = `${end.slice(0, 7)}-01`;
  const last = shifted(first, days - 1);
  if (until === null || last > end) return { ...rangeOf(first, end), until: null };
  return { ...rangeOf(first, last), until: daysLater(until, daysBetween(from, first)) };
}

function daysLater(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS);
}

export function daysOf({ days, from }: Window): string[] {
  return Array.from({ length: days }, (_, index) => shifted(from, index));
}

export function shifted(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

export function dayBefore(day: string): string {
  return shifted(day, -1);
}

export function lastOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return dayOf(Date.UTC(year, month, 0));
}

export function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

import type { Period } from './answers';

/** The current UTC day and those before it; whole weeks, so that periods compare like with like. */
export const PRESET_DAYS = [7, 28, 91, 364] as const;
export const DEFAULT_PERIOD: Period = { days: 28 };

const MOST_DAYS = 365;
const MOST_DAYS_APART = 1_100;
const FIRST_DAY = '2000-01-01';
const DAY_MS = 86_400_000;
export const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export function readPeriod(given: URLSearchParams): Period {
  const text = (name: string): string => given.get(name) ?? '';
  if (MONTH.test(text('month'))) return { month: text('month') };
  if (isRange(text('from'), text('to'))) return { from: text('from'), to: text('to') };
  const isPreset = /^[1-9]\d{0,2}$/.test(text('days')) && Number(text('days')) <= MOST_DAYS;
  return isPreset ? { days: Number(text('days')) } : DEFAULT_PERIOD;
}

export function isRange(from: string, to: string): boolean {
  return isDay(from) && isDay(to) && from >= FIRST_DAY && from <= to && daysApart(from, to) <= MOST_DAYS_APART;
}

function isDay(text: string): boolean {
  // The 31st of a month with 30 days is the first of the next one.
  return /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;
}

export function daysApart(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

export function periodQuery(period: Period): Record<string, string> {
  return Object.fromEntries(Object.entries(period).map(([name, value]) => [name, String(value)]));
}

export function isSamePeriod(one: Period, other: Period): boolean {
  return new URLSearchParams(periodQuery(one)).toString() === new URLSearchParams(periodQuery(other)).toString();
}

export function dayBefore(today: string): string {
  return new Date(Date.parse(today.slice(0, 10)) - DAY_MS).toISOString().slice(0, 10);
}

/** So many months after that of a day or an instant: `2025-12` is -1 after `2026-01`. */
export function monthAfter(day: string, months: number): string {
  const [year, number] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}

/** A shorter period has too few months to follow anybody. */
const FEWEST_MONTHS = 12;
const MOST_MONTHS = 24;
const DAYS_OF_MONTH = 30;

export function cohortsQuery(period: Period): Record<string, string> {
  if ('days' in period) {
    const months = Math.max(FEWEST_MONTHS, Math.ceil(period.days / DAYS_OF_MONTH));
    return { months: String(Math.min(months, MOST_MONTHS)) };
  }
  const { from: first, to: last } = 'month' in period ? { from: period.month, to: period.month } : period;
  const months = [first.slice(0, 7), monthAfter(last, 1 - FEWEST_MONTHS)].sort();
  // Any day of a month stands for it.
  return { from: `${months[0]}-01`, to: `${last.slice(0, 7)}-01` };
}

const DAY_MS = 86_400_000;

/** Whole UTC days, both ends included, as `YYYY-MM-DD`. */
export interface Window {
  days: number;
  from: string;
  to: string;
}

/** The current UTC day and the `days - 1` before it (D-115). */
export function windowUntil(now: Date, days: number): Window {
  return { days, from: dayOf(now.getTime() - (days - 1) * DAY_MS), to: dayOf(now.getTime()) };
}

/** As many days right before. */
export function windowBefore({ days, from }: Window): Window {
  const start = Date.parse(from);
  return { days, from: dayOf(start - days * DAY_MS), to: dayOf(start - DAY_MS) };
}

/** The whole months within it, from the first to the last day; null without one. */
export function wholeMonthsOf({ from, to }: Window): { from: string; to: string } | null {
  const [year, month, day] = from.split('-').map(Number) as [number, number, number];
  const first = dayOf(Date.UTC(year, day === 1 ? month - 1 : month, 1));
  const [nextYear, nextMonth] = dayOf(Date.parse(to) + DAY_MS)
    .split('-')
    .map(Number) as [number, number];
  const last = dayOf(Date.UTC(nextYear, nextMonth - 1, 1) - DAY_MS);
  return first < last ? { from: first, to: last } : null;
}

/** Every day of it, oldest first. */
export function daysOf({ days, from }: Window): string[] {
  const start = Date.parse(from);
  return Array.from({ length: days }, (_, index) => dayOf(start + index * DAY_MS));
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

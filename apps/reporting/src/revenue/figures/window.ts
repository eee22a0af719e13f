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

/** The same number of days right before. */
export function windowBefore({ days, from }: Window): Window {
  const start = Date.parse(from);
  return { days, from: dayOf(start - days * DAY_MS), to: dayOf(start - DAY_MS) };
}

/** Every day of it, oldest first. */
export function daysOf({ days, from }: Window): string[] {
  const start = Date.parse(from);
  return Array.from({ length: days }, (_, index) => dayOf(start + index * DAY_MS));
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

import { dayNumber } from '@evenkeel/scoring';

/** @returns the day number of a date such as 2026-01-31; undefined when there is no such day */
export function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  try {
    return dayNumber(text);
  } catch {
    return undefined;
  }
}

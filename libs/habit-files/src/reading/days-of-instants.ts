import { localDate } from '@evenkeel/kernel';
import { dayOf } from './collected-habits';

/** The zone and the beginning of the day of a person. */
export interface DayRule {
  /** Null or absent: a day is the one that is written. */
  readonly timezone: string | null;
  readonly dayStartMinutes: number;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** @returns the instant in UTC; undefined for what is none, such as a day alone */
export function instantOf(text: unknown): string | undefined {
  if (typeof text !== 'string' || !INSTANT.test(text) || dayOf(text.slice(0, 10)) === undefined) return undefined;
  const atMs = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/** @returns the number of the day: of an instant the one that the person had, else the one that is written */
export function personalDayOf(text: unknown, { timezone, dayStartMinutes = 0 }: Partial<DayRule>): number | undefined {
  if (typeof text !== 'string') return undefined;
  const instant = timezone ? instantOf(text) : undefined;
  return dayOf(instant === undefined ? text.slice(0, 10) : localDate(new Date(instant), timezone!, dayStartMinutes));
}

const DIGIT_ZERO = 48;
const FIRST_WEEKDAY: Record<WeekStart, number> = { MONDAY: 0, SATURDAY: 5, SUNDAY: 6 };

/**
 * Days since 1970-01-01 by the civil (Gregorian) calendar. Hours do not exist here, so neither do 23-hour days.
 * @param date local date, YYYY-MM-DD
 * @throws RangeError when there is no such day
 * @see Hinnant, chrono-compatible low-level date algorithms (days_from_civil)
 */
export function dayNumber(date: string): number {
  const month = digits(date, 5, 7);
  const dayOfMonth = digits(date, 8, 10);
  // The year begins in March, so that the leap day is its last.
  const year = digits(date, 0, 4) - (month <= 2 ? 1 : 0);
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const day = era * 146_097 + dayOfEra - 719_468;
  if (civilDate(day) !== date) throw new RangeError('not a date of the form YYYY-MM-DD');
  return day;
}

/**
 * The date of a day number, YYYY-MM-DD.
 * @param day days since 1970-01-01, integer
 */
export function civilDate(day: number): string {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}`;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - DIGIT_ZERO;
  return value;
}

export type WeekStart = 'MONDAY' | 'SUNDAY' | 'SATURDAY';

/** @returns 0 (Monday) to 6 (Sunday), whatever day weeks start on; 1970-01-01 was a Thursday */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** The first day of the week that holds `day`. */
export function firstDayOfWeek(day: number, weekStart: WeekStart): number {
  return day - ((weekdayOf(day) - FIRST_WEEKDAY[weekStart] + 7) % 7);
}

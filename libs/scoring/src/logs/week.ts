export type WeekStart = 'MONDAY' | 'SUNDAY' | 'SATURDAY';

const FIRST_WEEKDAY: Record<WeekStart, number> = { MONDAY: 0, SATURDAY: 5, SUNDAY: 6 };

/** @returns 0 (Monday) to 6 (Sunday), whatever day weeks start on; 1970-01-01 was a Thursday */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** The first day of the week that holds `day`. */
export function firstDayOfWeek(day: number, weekStart: WeekStart): number {
  return day - ((weekdayOf(day) - FIRST_WEEKDAY[weekStart] + 7) % 7);
}

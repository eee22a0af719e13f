import { isDue, type Schedule } from './schedule';

/**
 * Places the sessions of a plan week on its first scheduled days, one a day; only a target above 7 a week goes round
 * again.
 * @param first day number of the first day
 * @param days 1 to 7
 * @param sessions 1 or more
 * @returns day numbers, ascending; fewer than `sessions` where a short week has too few scheduled days
 */
export function sessionDays(schedule: Schedule, first: number, days: number, sessions: number): number[] {
  const due: number[] = [];
  for (let day = first; day < first + days; day++) if (isDue(schedule, day)) due.push(day);
  const rounds = Math.ceil(schedule.target / 7);
  const places = Array.from({ length: rounds }, () => due).flat();
  return places.slice(0, sessions).sort((a, b) => a - b);
}

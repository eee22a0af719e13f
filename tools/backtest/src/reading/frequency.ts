/** How often a habit is due: so many times in so many days. */
export interface Frequency {
  readonly times: number;
  readonly days: number;
}

/** The words under which figures of habits are put together. */
export function kindOf({ times, days }: Frequency): string {
  if (times === days) return 'every day';
  if (days === 7) return `${timesWord(times)} a week`;
  if (days === 30 || days === 31) return `${timesWord(times)} a month`;
  return times === 1 ? `every ${days} days` : `${timesWord(times)} in ${days} days`;
}

/** The engine knows targets a week: the nearest one, 7 being every day. */
export function targetPerWeek({ times, days }: Frequency): number {
  return Math.max(1, Math.min(7, Math.round((7 * times) / days)));
}

function timesWord(times: number): string {
  return times === 1 ? 'once' : `${times} times`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** All of them read the text of an instant or a date, which is UTC: the time zone of the browser does not matter. */
export function clockText(instant: string): string {
  return instant.slice(11, 19);
}

/** `31 Jan 2026` */
export function dateText(date: string): string {
  return `${shortDateText(date)} ${date.slice(0, 4)}`;
}

/** `31 Jan` */
export function shortDateText(date: string): string {
  return `${Number(date.slice(8, 10))} ${MONTHS[Number(date.slice(5, 7)) - 1]}`;
}

/** `Jan 2026`, of a month or a day */
export function monthText(month: string): string {
  return `${MONTHS[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`;
}

/** `Saturday` */
export function weekdayText(date: string): string {
  return WEEKDAYS[new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDay()]!;
}

/** Both days included; the year once where it is the same. */
export function periodText({ from, to }: { from: string; to: string }): string {
  if (from === to) return dateText(to);
  return `${from.slice(0, 4) === to.slice(0, 4) ? shortDateText(from) : dateText(from)} to ${dateText(to)}`;
}

export type Precision = 'second' | 'minute' | 'day';

const CLOCK_LENGTH: Record<Precision, number> = { second: 8, minute: 5, day: 0 };

/** `31 Jan 11:58:00`, `31 Jan 11:58` or `31 Jan`; with the year when it is another one than now. */
export function instantText(instant: string, now: string, precision: Precision): string {
  const date = instant.slice(0, 4) === now.slice(0, 4) ? shortDateText(instant) : dateText(instant);
  return `${date} ${clockText(instant).slice(0, CLOCK_LENGTH[precision])}`.trimEnd();
}

/** @returns milliseconds from one instant to a later one, 0 when it is not later */
export function elapsedMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

/** `4 min`: the largest unit that fits. */
export function durationText(durationMs: number): string {
  if (durationMs < MINUTE_MS) return `${Math.floor(durationMs / SECOND_MS)} s`;
  if (durationMs < HOUR_MS) return `${Math.floor(durationMs / MINUTE_MS)} min`;
  if (durationMs < DAY_MS) return `${Math.floor(durationMs / HOUR_MS)} h`;
  const days = Math.floor(durationMs / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}

/** `as of 14:02:07 UTC, 0.4 s behind`; with its age instead once it is no longer refreshed. */
export function freshnessText(asOf: string, lagSeconds: number, ageMs?: number): string {
  const at = `as of ${clockText(asOf)} UTC`;
  if (ageMs !== undefined) return `${at}, ${durationText(ageMs)} old`;
  const behind = lagSeconds < 10 ? `${Number(lagSeconds.toFixed(1))} s` : durationText(lagSeconds * SECOND_MS);
  return `${at}, ${behind} behind`;
}

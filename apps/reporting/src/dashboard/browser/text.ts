import type { Money } from './answers';

export interface Change {
  direction: 'more' | 'less' | 'same' | 'none';
  /** As text with a sign: `↑ 12 % more than yesterday`. */
  text: string;
}

export const NOTHING_BEFORE: Change = { direction: 'none', text: 'nothing to compare' };

/** From this ratio on a factor is clearer than a percentage. */
const FACTOR_FROM = 3;

/** `tier_1` as `Tier 1`. */
export function nameText(name: string): string {
  return (name[0]!.toUpperCase() + name.slice(1)).replaceAll('_', ' ');
}

export const ABSENT = '–';

const THIN_SPACE = '\u202f';
const MINUS = '\u2212';

/** Below it cents are too coarse: a cost of 0.0004 is not nothing. */
const SMALL_USD = 0.1;

/**
 * Two decimals, thousands set apart by a thin space: `4 302.00`; small amounts with as many as they have: `0.0004`.
 * The unit is in the head of the table.
 */
export function moneyText(money: Money): string {
  const isSmall = Math.abs(Number(money.usd_exact)) < SMALL_USD;
  return grouped(isSmall ? withoutZeros(money.usd_exact) : money.usd.toFixed(2));
}

/** `0.000400` as `0.0004`, and `0.000000` as `0.00`. */
function withoutZeros(exact: string): string {
  return exact.replace(/(\.\d\d\d*?)0+$/, '$1').replace(/^-(0\.00)$/, '$1');
}

export function countText(count: number): string {
  return grouped(String(count));
}

// Made once: making it takes a hundred times as long as what it then does for a count.
const IN_WORDS = new Intl.NumberFormat('en-US');

export function countInWords(count: number): string {
  return IN_WORDS.format(count);
}

export function paymentsInWords(count: number): string {
  return `${countInWords(count)} ${count === 1 ? 'payment' : 'payments'}`;
}

export function percentText(percent: number): string {
  return `${percent.toFixed(1)}${THIN_SPACE}%`;
}

function grouped(digits: string): string {
  return digits.replace('-', MINUS).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, THIN_SPACE);
}

/**
 * @param before undefined where the period before is not known; from 0 there is no percentage either
 * @param period what is compared with, as text: `yesterday`, `the 30 days before`; left out where it is said elsewhere
 */
export function changeOf(now: number, before: number | undefined, period?: string): Change {
  const than = period === undefined ? '' : ` than ${period}`;
  if (!before) return NOTHING_BEFORE;
  if (now === before) return { direction: 'same', text: period === undefined ? 'the same' : `the same as ${period}` };
  const ratio = now / before;
  if (ratio >= FACTOR_FROM) {
    return { direction: 'more', text: `↑ ${ratio.toFixed(ratio < 10 ? 1 : 0)} times ${period ?? 'as much'}` };
  }
  const direction = ratio > 1 ? 'more' : 'less';
  const percent = Math.abs(ratio - 1) * 100;
  const size = percent < 1 ? percentText(percent) : `${Math.round(percent)}${THIN_SPACE}%`;
  return { direction, text: `${ratio > 1 ? '↑' : '↓'} ${size} ${direction}${than}` };
}

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

export function dateText(date: string): string {
  return `${shortDateText(date)} ${date.slice(0, 4)}`;
}

export function shortDateText(date: string): string {
  return `${Number(date.slice(8, 10))} ${MONTHS[Number(date.slice(5, 7)) - 1]}`;
}

/** `Jan 2026`, of a month or a day */
export function monthText(month: string): string {
  return `${MONTHS[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`;
}

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

import type { Money } from './answers';

export interface Change {
  direction: 'more' | 'less' | 'same' | 'none';
  /** As text with a sign: `↑ 12 % more than yesterday`. */
  text: string;
}

/** From this ratio on a factor is clearer than a percentage. */
const FACTOR_FROM = 3;

/** `tier_1` as `Tier 1`. */
export function nameText(name: string): string {
  return (name[0]!.toUpperCase() + name.slice(1)).replaceAll('_', ' ');
}

/** Shown in place of a missing value. */
export const ABSENT = '–';

const THIN_SPACE = '\u202f';
const MINUS = '\u2212';

/** Below it cents are too coarse: a cost of 0.0004 is not nothing. */
const SMALL_USD = 0.1;

/**
 * Two decimals, thousands set apart by a thin space: `4 302.00`; small amounts with as many as they have: `0.0004`.
 * The unit is in the head of the table.
 */
export function moneyText(money: Money | undefined): string {
  if (money === undefined) return ABSENT;
  const isSmall = Math.abs(Number(money.usd_exact)) < SMALL_USD;
  return grouped(isSmall ? withoutZeros(money.usd_exact) : money.usd.toFixed(2));
}

/** `0.000400` as `0.0004`, and `0.000000` as `0.00`. */
function withoutZeros(exact: string): string {
  return exact.replace(/(\.\d\d\d*?)0+$/, '$1').replace(/^-(0\.00)$/, '$1');
}

export function countText(count: number | undefined): string {
  return count === undefined ? ABSENT : grouped(String(count));
}

// Made once: making it takes a hundred times as long as what it then does for a count.
const IN_WORDS = new Intl.NumberFormat('en-US');

/** A count inside a sentence: `4,302`. */
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
  if (before === undefined || before === 0) return { direction: 'none', text: 'nothing to compare' };
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

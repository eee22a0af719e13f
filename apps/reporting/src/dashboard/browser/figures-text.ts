import type { Money } from './answers';

/** What stands where there is no value. */
export const ABSENT = '–';

const THIN_SPACE = '\u202f';
const MINUS = '\u2212';

/** Two decimals, thousands set apart by a thin space: `4 302.00`. The unit is in the head of the table. */
export function moneyText(money: Money | undefined): string {
  return money === undefined ? ABSENT : grouped(money.usd.toFixed(2));
}

export function countText(count: number | undefined): string {
  return count === undefined ? ABSENT : grouped(String(count));
}

/** A count inside a sentence: `4,302`. */
export function countInWords(count: number): string {
  return count.toLocaleString('en-US');
}

export function percentText(percent: number): string {
  return `${percent.toFixed(1)}${THIN_SPACE}%`;
}

function grouped(digits: string): string {
  return digits.replace('-', MINUS).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, THIN_SPACE);
}

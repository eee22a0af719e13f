import { percentText } from './figures-text';

export interface Change {
  direction: 'more' | 'less' | 'same' | 'none';
  /** With a sign and in words: `↑ 12 % more than yesterday`. */
  text: string;
}

/** From here on a factor says more than a percentage. */
const FACTOR_FROM = 3;

/**
 * @param before undefined where the period before is not known; from 0 there is no percentage either
 * @param period what is compared with, in words: `yesterday`, `the 30 days before`; left out where it is said elsewhere
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
  const size = percent < 1 ? percentText(percent) : `${Math.round(percent)}\u202f%`;
  return { direction, text: `${ratio > 1 ? '↑' : '↓'} ${size} ${direction}${than}` };
}

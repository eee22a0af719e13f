import type { Measure } from '../figures/bootstrap';

/** `0.867`; the minus sign of typography, no `-0`. */
export function score(value: number): string {
  return signed(value.toFixed(3));
}

/** `14.2 %`, which does not break. */
export function percent(share: number): string {
  return `${signed((100 * share).toFixed(1))}\u00A0%`;
}

/** `182,500`. */
export function whole(count: number): string {
  return count.toLocaleString('en');
}

/** `0.867 (0.851 to 0.884)`, without the interval where there is none. */
export function withInterval(measure: Measure, text: (value: number) => string = score): string {
  return `${text(measure.value)}${intervalOf(measure, text, ' (', ')')}`;
}

/** `0.851 to 0.884`, `3.3 to 12.4 %`, or nothing. */
export function intervalOf(
  { low, high }: Measure,
  text: (value: number) => string = score,
  open = '',
  close = '',
): string {
  return low === null || high === null ? '' : `${open}${text(low).replace(/\s%$/, '')} to ${text(high)}${close}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

function signed(text: string): string {
  if (!text.startsWith('-')) return text;
  return /[1-9]/.test(text) ? text.replace('-', '\u2212') : text.slice(1);
}

import type { Measure } from '../figures/bootstrap';
import type { Backtest } from '../figures/backtest';
import type { Forecaster } from '../forecasts/forecasts';

/** The words of a report about habits, and of one about tasks. */
export interface Words {
  one: string;
  many: string;
  /** The event that is forecast. */
  event: string;
  events: string;
  question: string;
  forecasters: Record<Forecaster, string>;
}

const WORDS: Record<Backtest['subject'], Words> = {
  habits: {
    one: 'habit',
    many: 'habits',
    event: 'a lapse',
    events: 'lapses',
    question: 'Each morning: will fewer than half of the occasions of the next seven days be done?',
    forecasters: { engine: 'lapse risk', share: 'share done so far', strength: "Loop's strength" },
  },
  tasks: {
    one: 'task',
    many: 'tasks',
    event: 'a failure',
    events: 'failures',
    question: 'Before each run: will it fail?',
    forecasters: { engine: 'next-run risk', share: 'share passed so far', strength: '13-run strength' },
  },
};

export function wordsOf({ subject }: Backtest): Words {
  return WORDS[subject];
}

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

/** A name for a terminal: without characters that move its cursor, colour it or turn its direction; not too long. */
export function printable(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u00B7');
  return plain.length <= 60 ? plain : `${plain.slice(0, 59)}…`;
}

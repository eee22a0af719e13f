import { html, nothing, type TemplateResult } from 'lit-html';
import type { Money, Totals } from './answers';
import type { Panel } from './page-state';
import { dateText, shortDateText } from './times-text';
import { count, money } from './values';

interface Change {
  direction: 'more' | 'less' | 'same' | 'none';
  /** As text with a sign: `↑ 12 % more than yesterday`. */
  text: string;
}

/** From this ratio on a factor is clearer than a percentage. */
const FACTOR_FROM = 3;

/** Shown in place of a missing value. */
export const ABSENT = '–';

const THIN_SPACE = '\u202f';
const MINUS = '\u2212';

interface Card {
  title: string;
  period: string | undefined;
  totals: Totals | undefined;
  /** Undefined while comparing is switched off. */
  comparison: { now?: Totals; before: Totals | undefined; words: string; soFar?: boolean } | undefined;
}

export const figuresPanel: Panel = ({ answers, view: { compare } }) => {
  const { window, today, all_time, previous } = answers.summary ?? {};
  const days = window?.days ?? 0;
  const ifCompared = (before: Totals | null | undefined, words: string, soFar = false) =>
    compare ? { before: before ?? undefined, words, soFar } : undefined;
  const compared = previous?.window;
  const before = compared?.days === 1 ? 'the day before' : `the ${compared?.days} days before`;
  return [
    card({
      title: 'Today',
      period: today && `${dateText(today.date)}, so far`,
      totals: today,
      comparison: ifCompared(previous?.today, 'yesterday up to this time', true),
    }),
    card({
      title: days === 1 ? '1 day' : `${days} days`,
      period: window && periodText(window),
      totals: window,
      // Complete days alone are compared: the present one is not over.
      comparison: compare ? { ...ifCompared(compared, before, days === 1)!, now: compared?.compared } : undefined,
    }),
    card({
      title: 'All time',
      period: all_time && (all_time.since ? `since ${dateText(all_time.since)}` : 'no payment yet'),
      totals: all_time,
      comparison: ifCompared(undefined, ''),
    }),
  ];
};

export function periodText({ from, to }: { from: string; to: string }): string {
  if (from === to) return dateText(to);
  return from.slice(0, 4) === to.slice(0, 4)
    ? `${shortDateText(from)} to ${dateText(to)}`
    : `${dateText(from)} to ${dateText(to)}`;
}

function card({ title, period, totals, comparison }: Card): TemplateResult {
  const id = `card-${title.replace(/\W/g, '-').toLowerCase()}`;
  return html`<article class="panel card" aria-labelledby=${id}>
    <h3 id=${id}>${title}</h3>
    <p class="muted period">${period}</p>
    <p class="revenue"><span class="unseen">Gross revenue </span>${money(totals?.gross_revenue)} <small>USD</small></p>
    <p class="change">${totals && comparison ? change(totals, comparison) : nothing}</p>
    <dl class="pairs">
      ${pair('Margin, USD', money(totals?.net_margin))} ${pair('Paid calls', count(totals?.paid_calls))}
      ${pair('Credit calls', count(totals?.credit_calls))} ${pair('Payers', count(totals?.unique_payers))}
    </dl>
  </article>`;
}

export function pair(name: unknown, value: unknown): TemplateResult {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

function change(
  totals: Totals,
  { now = totals, before, words, soFar }: NonNullable<Card['comparison']>,
): TemplateResult {
  const { direction, text } = changeOf(now.gross_revenue.usd, before?.gross_revenue.usd, words);
  // A day that is not over is not shown as a loss.
  const colour = soFar && direction === 'less' ? 'same' : direction;
  return html`<span data-direction=${colour}>${text}</span>`;
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
  const size = percent < 1 ? percentText(percent) : `${Math.round(percent)}\u202f%`;
  return { direction, text: `${ratio > 1 ? '↑' : '↓'} ${size} ${direction}${than}` };
}

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

export function paymentsInWords(count: number): string {
  return `${countInWords(count)} ${count === 1 ? 'payment' : 'payments'}`;
}

export function percentText(percent: number): string {
  return `${percent.toFixed(1)}${THIN_SPACE}%`;
}

function grouped(digits: string): string {
  return digits.replace('-', MINUS).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, THIN_SPACE);
}

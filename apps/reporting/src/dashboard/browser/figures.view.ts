import { html, nothing, type TemplateResult } from 'lit-html';
import type { Totals } from './answers';
import { changeOf } from './change';
import type { View } from './page-state';
import { count, money } from './values.view';
import { dateText, shortDateText } from './times-text';

interface Card {
  title: string;
  period: string | undefined;
  totals: Totals | undefined;
  /** What it is compared with; nothing where comparing is switched off. */
  comparison: { before: Totals | undefined; words: string; soFar?: boolean } | undefined;
}

export const figuresView: View = ({ snapshot, view }) => {
  const { window, today, all_time, previous } = snapshot?.summary ?? {};
  const { compare } = view;
  const days = window?.days ?? view.days;
  const ifCompared = (before: Totals | undefined, words: string, soFar = false) =>
    compare ? { before, words, soFar } : undefined;
  return [
    card({
      title: 'Today',
      period: today && `${dateText(today.date)}, so far`,
      totals: today,
      comparison: ifCompared(previous?.today, 'all of yesterday', true),
    }),
    card({
      title: days === 1 ? '1 day' : `${days} days`,
      period: window && periodText(window),
      totals: window,
      comparison: ifCompared(previous?.window, days === 1 ? 'the day before' : `the ${days} days before`, days === 1),
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

function change(totals: Totals, { before, words, soFar }: NonNullable<Card['comparison']>): TemplateResult {
  const { direction, text } = changeOf(totals.gross_revenue.usd, before?.gross_revenue.usd, words);
  // A day that is not over is no bad news.
  const colour = soFar && direction === 'less' ? 'same' : direction;
  return html`<span data-direction=${colour}>${text}</span>`;
}

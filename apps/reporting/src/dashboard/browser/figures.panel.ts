import { html, nothing, type TemplateResult } from 'lit-html';
import type { Summary, Totals } from './answers';
import { changeOf, countInWords, moneyText, paymentsInWords, percentText } from './numbers-text';
import { type PageActions, type PageState, type Panel } from './page-state';
import { clockText, dateText, periodText, shortDateText, weekdayText } from './times-text';
import { count, money, pair, paymentsLink, SKELETON } from './values';
import { hashOf, type PaymentFilters } from './page-settings';
import { hasSubscriptions } from './subscriptions.panel';

/** Hours and minutes. */
const CLOCK_LENGTH = 5;

interface Card {
  title: string;
  /** Which days, and what else is to be said of them. */
  period: unknown;
  totals: Totals | undefined;
  /** Left out where nothing comes before it; undefined while comparing is switched off. */
  comparison?: Comparison | undefined;
  /** The payments that were paid. */
  rows: Parameters<PageActions['showPayments']>[0];
}

interface Comparison {
  /** Both sides; null where there is nothing before. */
  sides: { now: Totals; before: Totals; words: string; ranges: string } | null;
  /** A day that is not over is not shown as a loss. */
  soFar?: boolean;
}

export const figuresPanel: Panel = (state, actions) => {
  const { summary } = state.answers;
  if (!summary) return [...LOADING.map((one) => card(one, state, actions)), mrrCard(state, actions)];
  const { window, today, all_time } = summary;
  const days = (from: string, to: string): PaymentFilters => ({ within: `${from}/${to}` });
  const cards: (Card & Span)[] = [
    {
      title: 'Today',
      totals: today,
      from: today.date,
      to: today.date,
      comparison: todayComparison(summary),
      period: `${dateText(today.date)}, so far`,
      rows: { filters: { day: today.date } },
    },
    {
      title: daysText(window.days),
      totals: window,
      from: window.from,
      to: window.to,
      period: windowText(summary),
      comparison: windowComparison(summary),
      rows: { filters: days(window.from, window.to) },
    },
    {
      title: 'All time',
      totals: all_time,
      from: all_time.since ?? today.date,
      to: today.date,
      rows: { filters: days(all_time.since ?? today.date, today.date) },
      period: all_time.since ? `since ${dateText(all_time.since)}` : 'no payment yet',
    },
  ];
  return [
    ...distinct(cards, all_time.since ?? today.date).map((one) => card(one, state, actions)),
    mrrCard(state, actions),
  ];
};

const UNKNOWN: Card = { title: 'Loading', period: nothing, totals: undefined, rows: {} };
/** Of the size that they have when the numbers are there: today, the period, all time. */
const LOADING: Card[] = [{ ...UNKNOWN, comparison: undefined }, { ...UNKNOWN, comparison: undefined }, UNKNOWN];

/** Revenue of subscriptions in a month, beside that of calls; never added to it. */
function mrrCard({ answers, view }: PageState, { showSubscriptions }: PageActions): unknown {
  const { subscriptions } = answers;
  if (!subscriptions) return LOADING_MRR;
  if (!hasSubscriptions({ answers })) return nothing;
  const { mrr, arr, subscribers, points, from, to } = subscriptions;
  const { direction, text } = changeOf(mrr.end.usd, mrr.start.usd, `before ${shortDateText(from)}`);
  const show = (event: Event): void => {
    event.preventDefault();
    showSubscriptions();
  };
  return html`<article class="panel card mrr-card" aria-labelledby="card-mrr">
    <h3 id="card-mrr"><a href=${hashOf(view)} @click=${show}>Subscriptions</a></h3>
    <p class="muted period">MRR, ${dateText(to)}</p>
    <p class="revenue"><span class="unseen">Monthly recurring revenue </span>${money(mrr.end)} <small>USD</small></p>
    <p class="change">${view.compare ? html`<span data-direction=${direction}>${text}</span>` : nothing}</p>
    ${mrrLine(points.map((point) => point.mrr.usd))}
    <dl class="pairs">${pair('In a year, USD', money(arr))} ${pair('Subscribers', count(subscribers.end))}</dl>
  </article>`;
}

const LOADING_MRR = html`<article class="panel card mrr-card">
  <h3>${SKELETON}</h3>
  <p class="revenue">${SKELETON} <small>USD</small></p>
  <p class="change"></p>
  ${mrrLine([])}
  <dl class="pairs">${pair('In a year, USD', SKELETON)} ${pair('Subscribers', SKELETON)}</dl>
</article>`;

/** From zero, so that a small change looks small; empty while there are not two days. */
function mrrLine(amounts: readonly number[]): TemplateResult {
  const most = Math.max(...amounts, 0.01);
  const points =
    amounts.length < 2
      ? []
      : amounts.map((usd, index) => `${(index * 100) / (amounts.length - 1)},${30 - (usd * 28) / most}`);
  return html`<svg class="mrr-line" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
    <polyline points=${points.join(' ')} vector-effect="non-scaling-stroke" />
  </svg>`;
}

interface Span {
  from: string;
  to: string;
}

/** No two cards with the same numbers: days before the first payment count nothing. */
function distinct<Part extends Span>(parts: readonly Part[], since: string): Part[] {
  const spanOf = ({ from, to }: Span): string => `${from < since ? since : from} ${to}`;
  return parts.filter((part, index) => parts.findIndex((other) => spanOf(other) === spanOf(part)) === index);
}

function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}

function windowText({ window }: Summary): unknown {
  const late = window.adjusted_after;
  if (!late?.paid_calls) return periodText(window);
  const added = `${countInWords(late.paid_calls)} of these calls, ${moneyText(late.gross_revenue)} USD`;
  return html`${periodText(window)}<br /><small>${added}, settled after ${shortDateText(window.to)}</small>`;
}

function todayComparison({ today, previous }: Summary): Comparison | undefined {
  if (!previous) return undefined;
  const before = previous.today;
  if (!before) return { sides: null, soFar: true };
  const words = `${weekdayText(before.date)} a week before`;
  const ranges = `${shortDateText(today.date)} and ${shortDateText(before.date)}${untilText(before.until)}`;
  return { sides: { now: today, before, words, ranges }, soFar: true };
}

function windowComparison({ previous }: Summary): Comparison | undefined {
  if (!previous) return undefined;
  const before = previous.window;
  if (!before) return { sides: null };
  const { compared } = before;
  const ranges = `${periodText(compared)} and ${periodText(before)}${untilText(before.until)}`;
  return {
    sides: { now: compared, before, words: earlierText(before, compared), ranges },
    soFar: before.until !== null,
  };
}

function untilText(until: string | null): string {
  return until === null ? '' : `, both until ${clockText(until).slice(0, CLOCK_LENGTH)} UTC`;
}

type Side = NonNullable<NonNullable<Summary['previous']>['window']>['compared'];

/** A month says what differs: its length, and which weekdays it has more often. */
function earlierText(before: Side, compared: Side): string {
  const { per_day: then, weekdays } = before;
  if (!then || !weekdays || !compared.per_day || !compared.weekdays) {
    return before.days === 1 ? `${weekdayText(before.from)} before` : `the same ${before.days} weekdays before`;
  }
  const now = compared.weekdays;
  const more = (Object.keys(now) as (keyof typeof now)[])
    .filter((name) => now[name] !== weekdays[name])
    .map((name) => `${now[name]} ${capitalised(name)}s after ${weekdays[name]}`);
  const perDay = `${moneyText(compared.per_day.gross_revenue)} USD a day after ${moneyText(then.gross_revenue)}`;
  return `the month before: ${[perDay, ...more].join(', ')}`;
}

function capitalised(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}

function card(one: Card, state: PageState, actions: PageActions): TemplateResult {
  const { title, period, totals, comparison, rows } = one;
  const id = `card-${title.replace(/\W/g, '-').toLowerCase()}`;
  return html`<article class="panel card" aria-labelledby=${totals ? id : nothing}>
    <h3 id=${id}>${totals ? title : SKELETON}</h3>
    <p class="muted period">${period}</p>
    <p class="revenue"><span class="unseen">Gross revenue </span>${money(totals?.gross_revenue)} <small>USD</small></p>
    ${'comparison' in one ? html`<p class="change">${comparison ? change(comparison) : nothing}</p>` : nothing}
    <dl class="pairs">
      ${pair('Margin, USD', withShare(money(totals?.net_margin), totals?.net_margin_pct))}
      ${pair('Cost, USD', withShare(money(totals?.attributed_cost), costShare(totals?.net_margin_pct)))}
      ${pair('Paid calls', totals ? paidCalls(totals, rows, state, actions) : SKELETON)}
      ${pair('Credit calls', count(totals?.credit_calls))}
      ${pair('Payers', totals ? payers(totals, state, actions) : SKELETON)}
    </dl>
  </article>`;
}

function withShare(amount: TemplateResult, percent: number | null | undefined): unknown {
  return percent === null || percent === undefined ? amount : html`${amount} <small>${percentText(percent)}</small>`;
}

/** The margin as a share of the revenue. */
function costShare(marginPercent: number | null | undefined): number | null | undefined {
  return marginPercent === null || marginPercent === undefined ? marginPercent : 100 - marginPercent;
}

function paidCalls(totals: Totals, rows: Card['rows'], state: PageState, actions: PageActions): TemplateResult {
  const { paid_calls: paid } = totals;
  return paymentsLink(count(paid), { status: 'settled', ...rows }, state, actions, paymentsInWords(paid));
}

function payers(totals: Totals, { view }: PageState, { showCustomers }: PageActions): TemplateResult {
  const show = (event: Event): void => {
    event.preventDefault();
    showCustomers();
  };
  const { unique_payers: wallets } = totals;
  const label = `${countInWords(wallets)} ${wallets === 1 ? 'payer' : 'payers'}`;
  return html`<a href=${hashOf(view)} aria-label=${label} @click=${show}>${count(wallets)}</a>`;
}

function change({ sides, soFar = false }: Comparison): TemplateResult {
  if (sides === null) return html`<span data-direction="none">nothing to compare</span>`;
  const { now, before, words, ranges } = sides;
  const { direction, text } = changeOf(now.gross_revenue.usd, before.gross_revenue.usd, words);
  const colour = soFar && direction === 'less' ? 'same' : direction;
  return html`<span data-direction=${colour}>${text}</span><small>${ranges}</small>`;
}

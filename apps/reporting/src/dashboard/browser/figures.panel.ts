import { html, nothing, type TemplateResult } from 'lit-html';
import type { Money, Summary, Totals } from './answers';
import type { Frame } from './frame';
import type { PageState } from './page-state';
import { isRange } from './period';
import { hashOf, type PaymentFilters } from './settings';
import { hasSubscriptions, mrrChange } from './subscriptions.panel';
import {
  changeOf,
  clockText,
  countInWords,
  dateText,
  moneyText,
  nameText,
  NOTHING_BEFORE,
  percentText,
  periodText,
  shortDateText,
  weekdayText,
} from './text';
import { changeMark, count, link, money, pairs, settledLink, SKELETON } from './values';

const CLOCK_LENGTH = 5;

export const figures: Frame = {
  name: 'summary',
  id: 'figures',
  title: 'Figures',
  kind: 'cards',
  isBare: true,
  content: (state) => {
    const { summary } = state.answers;
    const cards = summary ? cardsOf(summary) : LOADING;
    return [...cards.map((one) => callsCard(one, state)), mrrCard(state)];
  },
};

interface Card {
  title: unknown;
  /** Which days, and what else is to be said of them. */
  period: unknown;
  amount: Money | undefined;
  name: string;
  /** Left out where nothing comes before it; empty while comparing is switched off. */
  change?: unknown;
  values: Parameters<typeof pairs>[0];
}

function card({ title, period, name, amount, change, values }: Card, kind = '', drawing: unknown = nothing) {
  return html`<article class="panel card ${kind}">
    <h3>${title}</h3>
    <p class="muted period">${period}</p>
    <p class="revenue"><span class="unseen">${name} </span>${money(amount)} <small>USD</small></p>
    ${change === undefined ? nothing : html`<p class="change">${change}</p>`} ${drawing} ${pairs(values)}
  </article>`;
}

interface CallsCard extends Pick<Card, 'title' | 'period' | 'change'> {
  totals?: Totals;
  from: string;
  to: string;
}

const UNKNOWN: CallsCard = { title: SKELETON, period: nothing, from: '', to: '' };
/** Of the size that they have when the numbers are there: today, the period, all time. */
const LOADING: CallsCard[] = [{ ...UNKNOWN, change: nothing }, { ...UNKNOWN, change: nothing }, UNKNOWN];

/** No two with the same numbers: days before the first payment count nothing. */
function cardsOf(summary: Summary): CallsCard[] {
  const { window, today, all_time: all } = summary;
  const { date: day } = today;
  const since = all.since ?? day;
  const days = window.days === 1 ? '1 day' : `${window.days} days`;
  const ever = all.since ? `since ${dateText(all.since)}` : 'no payment yet';
  const ofToday = { period: `${dateText(day)}, so far`, totals: today, from: day, to: day };
  const cards: CallsCard[] = [
    { title: 'Today', ...ofToday, change: todayChange(summary) },
    { ...window, title: days, period: windowText(summary), totals: window, change: windowChange(summary) },
    { title: 'All time', period: ever, totals: all, from: since, to: day },
  ];
  const daysOf = ({ from, to }: CallsCard): string => `${from < since ? since : from} ${to}`;
  return cards.filter((one, index) => cards.findIndex((other) => daysOf(other) === daysOf(one)) === index);
}

function callsCard({ totals, from, to, ...said }: CallsCard, state: PageState) {
  const filters: PaymentFilters = said.title === 'Today' ? { day: from } : { within: `${from}/${to}` };
  const percent = totals?.net_margin_pct;
  // More days than a list may have lead to no list.
  const isListed = totals !== undefined && isRange(from, to);
  return card({
    ...said,
    name: 'Gross revenue',
    amount: totals?.gross_revenue,
    values: [
      ['Margin, USD', withShare(money(totals?.net_margin), percent)],
      ['Cost, USD', withShare(money(totals?.attributed_cost), typeof percent === 'number' ? 100 - percent : percent)],
      ['Paid calls', isListed ? settledLink(totals.paid_calls, filters, state) : count(totals?.paid_calls)],
      ['Credit calls', count(totals?.credit_calls)],
      ['Payers', count(totals?.unique_payers)],
    ],
  });
}

function withShare(amount: TemplateResult, percent: number | null | undefined): TemplateResult {
  return typeof percent === 'number' ? html`${amount} <small>${percentText(percent)}</small>` : amount;
}

/** Revenue of subscriptions in a month, beside that of calls; never added to it. */
function mrrCard(state: PageState): unknown {
  const { answers, view, act } = state;
  const { subscriptions } = answers;
  if (subscriptions && !hasSubscriptions(state)) return nothing;
  const said: Card = {
    title: subscriptions ? link('Subscriptions', hashOf(view), () => act.goTo('subscriptions-title')) : SKELETON,
    period: subscriptions ? `MRR, ${dateText(subscriptions.to)}` : nothing,
    name: 'Monthly recurring revenue',
    amount: subscriptions?.mrr.end,
    change: subscriptions && view.compare ? mrrChange(subscriptions, shortDateText(subscriptions.from)) : nothing,
    values: [
      ['In a year, USD', money(subscriptions?.arr)],
      ['Subscribers', count(subscriptions?.subscribers.end)],
    ],
  };
  return card(said, 'mrr-card', mrrLine(subscriptions?.points.map(({ mrr }) => mrr.usd) ?? []));
}

/** From zero, so that a small change looks small; empty while there are not two days. */
function mrrLine(amounts: readonly number[]): TemplateResult {
  const most = Math.max(...amounts, 0.01);
  const apart = 100 / (amounts.length - 1);
  const points = amounts.length < 2 ? [] : amounts.map((usd, index) => `${index * apart},${30 - (usd * 28) / most}`);
  return html`<svg class="mrr-line" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
    <polyline points=${points.join(' ')} vector-effect="non-scaling-stroke" />
  </svg>`;
}

function windowText({ window }: Summary): unknown {
  const late = window.adjusted_after;
  if (!late?.paid_calls) return periodText(window);
  const added = `${countInWords(late.paid_calls)} of these calls, ${moneyText(late.gross_revenue)} USD`;
  return html`${periodText(window)}<br /><small>${added}, settled after ${shortDateText(window.to)}</small>`;
}

function todayChange({ today, previous }: Summary): unknown {
  if (!previous) return nothing;
  const before = previous.today;
  if (!before) return changeMark(NOTHING_BEFORE);
  const ranges = `${shortDateText(today.date)} and ${shortDateText(before.date)}`;
  return change(today, before, `${weekdayText(before.date)} a week before`, ranges);
}

function windowChange({ previous }: Summary): unknown {
  if (!previous) return nothing;
  const before = previous.window;
  if (!before) return changeMark(NOTHING_BEFORE);
  const { compared } = before;
  return change(compared, before, earlierText(before, compared), `${periodText(compared)} and ${periodText(before)}`);
}

/** A day that is not over is not shown as a loss. */
function change(now: Totals, before: Totals & { until: string | null }, words: string, ranges: string): TemplateResult {
  const { until } = before;
  const { direction, text } = changeOf(now.gross_revenue.usd, before.gross_revenue.usd, words);
  const colour = until !== null && direction === 'less' ? 'same' : direction;
  const untilText = until === null ? '' : `, both until ${clockText(until).slice(0, CLOCK_LENGTH)} UTC`;
  return html`${changeMark({ direction: colour, text })}<small>${ranges}${untilText}</small>`;
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
    .map((name) => `${now[name]} ${nameText(name)}s after ${weekdays[name]}`);
  const perDay = `${moneyText(compared.per_day.gross_revenue)} USD a day after ${moneyText(then.gross_revenue)}`;
  return `the month before: ${[perDay, ...more].join(', ')}`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Subscriptions } from './answers';
import { fileSaving } from './files.panel';
import type { Frame } from './frame';
import type { PageState } from './page-state';
import { named, numbers, table } from './table';
import { ABSENT, changeOf, dateText, moneyText, monthText, nameText, percentText, periodText } from './text';
import { changeMark, count, money, pairs, stackedBar } from './values';

/** In the period, before it, or now: the health sentence leads here whatever the period is. */
export function hasSubscriptions({ answers: { subscriptions: answer }, health }: PageState): boolean {
  if (!answer) return false;
  const { plans, invoices, standing } = answer;
  const now = standing.active + standing.past_due + standing.trialing + (health?.disputes.open ?? 0);
  return plans.length + invoices.paid + now > 0;
}

export function mrrChange({ mrr }: Subscriptions, from: string): TemplateResult {
  return changeMark(changeOf(mrr.end.usd, mrr.start.usd, `before ${from}`));
}

export const subscriptions: Frame = {
  name: 'subscriptions',
  id: 'subscriptions',
  title: 'Subscriptions',
  kind: 'subscriptions',
  isHidden: (state) => state.view.statement !== '' || (!hasSubscriptions(state) && !lacksSubscriptions(state)),
  tools: (state) => {
    const { subscriptions: answer } = state.answers;
    if (!answer) return nothing;
    const days = periodText(answer);
    // Of the days that are chosen now.
    const title = state.sections.subscriptions.isCurrent && `Invoices, ${days}`;
    return html`
      <p class="muted">${days}</p>
      ${title ? fileSaving('invoices', { word: 'Invoices', title }, state) : nothing}
    `;
  },
  content: ({ answers: { subscriptions: answer }, view }) => {
    if (!answer) return nothing;
    const { mrr, arr, arpu, subscribers, standing, invoices, months, from, to } = answer;
    const recurring = html`<p class="revenue">${money(mrr.end)} <small>USD a month</small></p>
      <p class="change">${view.compare ? mrrChange(answer, dateText(from)) : nothing}</p>
      ${movementBar(mrr)}
      ${pairs([
        ['In a year, USD', money(arr)],
        ['By subscriber, USD', arpu === null ? ABSENT : money(arpu)],
      ])}`;
    const people = pairs([
      ['At the start', count(subscribers.start)],
      ['New', count(subscribers.new)],
      ['Reactivated', count(subscribers.reactivated)],
      ['Churned', count(subscribers.churned)],
    ]);
    const now = pairs([
      ['Active', count(standing.active)],
      ['Past due', count(standing.past_due)],
      ['In a trial', count(standing.trialing)],
      ['Will end', count(standing.scheduled_to_cancel)],
      ['Granted', count(standing.granted)],
    ]);
    const paid = pairs([
      ['Paid', count(invoices.paid)],
      ['Gross, USD', money(invoices.gross)],
      ['Tax, USD', money(invoices.tax)],
      ['Refunded, USD', money(invoices.refunded)],
      ['Disputed, USD', money(invoices.disputed)],
      ['Net, USD', money(invoices.net)],
    ]);
    return [
      part('Monthly recurring revenue', recurring, 'mrr'),
      part('Subscribers by plan', planTable(answer, to)),
      part('Subscribers in the period', people),
      part('Churn by month', churnTable(months), 'churn'),
      part('Standing of subscriptions now', now),
      part('Invoices of the period', paid, 'invoices'),
    ];
  },
};

function part(title: string, content: unknown, kind: unknown = nothing): TemplateResult {
  return html`<div class=${kind}>
    <h3>${title}</h3>
    ${content}
  </div>`;
}

/** Whether they alone were never read, which is said in their place. */
function lacksSubscriptions({ answers, sections, stale }: PageState): boolean {
  return !answers.subscriptions && sections.subscriptions.stale !== undefined && !stale;
}

/** More would be too many to read; the answer has all of them. */
const MOST_MONTHS = 6;

function churnTable(months: Subscriptions['months']): TemplateResult {
  const share = (percent: number | null): string => (percent === null ? ABSENT : percentText(percent));
  return table<Subscriptions['months'][number]>({
    caption: 'Subscribers who left, and what they had brought, by month',
    columns: [
      named('Month', ({ month }) => monthText(month)),
      numbers('People', ({ churn_pct: percent }) => share(percent)),
      numbers('Money', ({ mrr_churn_pct: percent }) => share(percent)),
    ],
    rows: months.slice(-MOST_MONTHS),
  });
}

/** In the order of the bar: what was won, then what was lost. */
const SIGNS = { new: '+', reactivation: '+', expansion: '+', contraction: '\u2212', churn: '\u2212' };
const MOVEMENTS = Object.keys(SIGNS) as (keyof typeof SIGNS)[];

function movementBar(mrr: Subscriptions['mrr']): TemplateResult {
  const { bar, keys } = stackedBar(
    MOVEMENTS.map((name) => {
      const { [name]: amount } = mrr;
      const sign = moneyText(amount) === '0.00' ? '' : SIGNS[name];
      return { name, word: nameText(name), size: amount.usd, value: html`${sign}${money(amount)}` };
    }),
  );
  return html`${bar}
    <ul class="keys" aria-label="What moved it, in USD a month">
      <li>Start <strong>${money(mrr.start)}</strong></li>
      ${keys}
      <li>End <strong>${money(mrr.end)}</strong></li>
    </ul>`;
}

function planTable({ plans, mrr, subscribers }: Subscriptions, to: string): TemplateResult {
  const rows = [
    ...plans.map((plan) => ({ ...plan, name: plan.code === null ? 'Other price' : nameText(plan.code) })),
    { name: 'All plans', subscribers: subscribers.end, mrr: mrr.end },
  ];
  return table<(typeof rows)[number]>({
    caption: `Subscribers and monthly recurring revenue by plan, at the end of ${dateText(to)}`,
    columns: [
      named('Plan', ({ name }) => name),
      numbers('Subscribers', (row) => count(row.subscribers)),
      numbers('USD a month', (row) => money(row.mrr)),
    ],
    rows,
  });
}

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Money, Subscriptions } from './answers';
import { numbersRow, numbersTable } from './numbers-table';
import { ABSENT, changeOf, moneyText, percentText } from './numbers-text';
import type { PageState, Panel } from './page-state';
import { fileSaving } from './files.panel';
import { stackedBar } from './stacked-bar';
import { count, money, pair } from './values';
import { dateText, monthText, periodText } from './times-text';

/** Whether there is or was a subscription. */
export function hasSubscriptions({ answers }: Pick<PageState, 'answers'>): boolean {
  const { plans = [], invoices } = answers.subscriptions ?? {};
  return plans.length > 0 || (invoices?.paid ?? 0) > 0;
}

export const subscriptionToolsPanel: Panel = (state, actions) => {
  const { subscriptions } = state.answers;
  if (!subscriptions) return nothing;
  const days = periodText(subscriptions);
  return html`
    <p class="muted">${days}</p>
    ${fileSaving('invoices', { word: 'Invoices', title: `Invoices, ${days}` }, state, actions)}
  `;
};

export const subscriptionsPanel: Panel = ({ answers, view }) => {
  if (!answers.subscriptions) return nothing;
  const { mrr, arr, arpu, subscribers, standing, plans, invoices, months, from, to } = answers.subscriptions;
  const before = `before ${dateText(from)}`;
  return html`
    <div class="mrr">
      <h3>Monthly recurring revenue</h3>
      <p class="revenue">${money(mrr.end)} <small>USD a month</small></p>
      <p class="change">${view.compare ? change(mrr, before) : nothing}</p>
      ${movementBar(mrr)}
      <dl class="pairs">
        ${pair('In a year, USD', money(arr))} ${pair('By subscriber, USD', money(arpu ?? undefined))}
      </dl>
    </div>
    <div class="plans">
      <h3>Subscribers by plan</h3>
      ${planTable(plans, mrr.end, subscribers.end, to)}
    </div>
    <div>
      <h3>Subscribers in the period</h3>
      <dl class="pairs">
        ${pair('At the start', count(subscribers.start))} ${pair('New', count(subscribers.new))}
        ${pair('Reactivated', count(subscribers.reactivated))} ${pair('Churned', count(subscribers.churned))}
      </dl>
    </div>
    <div class="churn">
      <h3>Churn by month</h3>
      ${churnTable(months)}
    </div>
    <div>
      <h3>Standing of subscriptions now</h3>
      <dl class="pairs">
        ${pair('Active', count(standing.active))} ${pair('Past due', count(standing.past_due))}
        ${pair('In a trial', count(standing.trialing))} ${pair('Will end', count(standing.scheduled_to_cancel))}
        ${pair('Granted', count(standing.granted))}
      </dl>
    </div>
    <div class="invoices">
      <h3>Invoices of the period</h3>
      <dl class="pairs">
        ${pair('Paid', count(invoices.paid))} ${pair('Gross, USD', money(invoices.gross))}
        ${pair('Tax, USD', money(invoices.tax))} ${pair('Refunded, USD', money(invoices.refunded))}
        ${pair('Disputed, USD', money(invoices.disputed))} ${pair('Net, USD', money(invoices.net))}
      </dl>
    </div>
  `;
};

function change({ start, end }: Subscriptions['mrr'], before: string): TemplateResult {
  const { direction, text } = changeOf(end.usd, start.usd, before);
  return html`<span data-direction=${direction}>${text}</span>`;
}

/** More would be too many to read; the answer has all of them. */
const MOST_MONTHS = 6;

function churnTable(months: Subscriptions['months']): TemplateResult {
  const share = (percent: number | null): string => (percent === null ? ABSENT : percentText(percent));
  return numbersTable({
    caption: 'Subscribers who left, and what they had brought, by month',
    heads: ['Month', 'People', 'Money'],
    rows: months
      .slice(-MOST_MONTHS)
      .map(({ month, churn_pct, mrr_churn_pct }) =>
        numbersRow(monthText(month), share(churn_pct), share(mrr_churn_pct)),
      ),
  });
}

type MovementName = 'new' | 'reactivation' | 'expansion' | 'contraction' | 'churn';

/** In the order of the bar: what was won, then what was lost. */
const MOVEMENTS: readonly { name: MovementName; word: string; sign: '+' | '\u2212' }[] = [
  { name: 'new', word: 'New', sign: '+' },
  { name: 'reactivation', word: 'Reactivation', sign: '+' },
  { name: 'expansion', word: 'Expansion', sign: '+' },
  { name: 'contraction', word: 'Contraction', sign: '\u2212' },
  { name: 'churn', word: 'Churn', sign: '\u2212' },
];

function movementBar(mrr: Subscriptions['mrr']): TemplateResult {
  const { bar, keys } = stackedBar(
    MOVEMENTS.map(({ name, word, sign }) => {
      const { [name]: amount } = mrr;
      return { name, word, size: amount.usd, value: html`${signIfAny(amount, sign)}${money(amount)}` };
    }),
  );
  return html`${bar}
    <ul class="keys" aria-label="What moved it, in USD a month">
      <li>Start <strong>${money(mrr.start)}</strong></li>
      ${keys}
      <li>End <strong>${money(mrr.end)}</strong></li>
    </ul>`;
}

function signIfAny(amount: Money, sign: string): string {
  return moneyText(amount) === '0.00' ? '' : sign;
}

function planTable(plans: Subscriptions['plans'], mrr: Money, subscribers: number, to: string): TemplateResult {
  return numbersTable({
    caption: `Subscribers and monthly recurring revenue by plan, at the end of ${dateText(to)}`,
    heads: ['Plan', 'Subscribers', 'USD a month'],
    rows: [
      ...plans.map((plan) => numbersRow(planName(plan.code), count(plan.subscribers), money(plan.mrr))),
      numbersRow('All plans', count(subscribers), money(mrr)),
    ],
  });
}

/** `premium_monthly` as text. */
export function planName(code: string | null): string {
  if (code === null) return 'Other price';
  const name = code.replaceAll('_', ' ');
  return name[0]!.toUpperCase() + name.slice(1);
}

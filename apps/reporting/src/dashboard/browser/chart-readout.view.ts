import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Day } from './answers';
import { callsOf } from './chart-geometry';
import { countInWords, moneyText } from './figures-text';
import { pair } from './figures.view';
import { count, money, SKELETON } from './values.view';
import { dateText } from './times-text';

const BAR = svg`<svg class="key" viewBox="0 0 16 10" aria-hidden="true"><rect class="bar" x="3" width="10" height="10" rx="2" /></svg>`;
const LINE = svg`<svg class="key" viewBox="0 0 16 10" aria-hidden="true"><path class="calls" d="M0 5h16" /><circle class="calls-point" cx="8" cy="5" r="3" /></svg>`;

/** All values of one day; also the key to what is bar and what is line. */
export function dayReadout(day: Day | undefined, before: Day | undefined): TemplateResult {
  return html`<dl class="readout">
    <div class="date">
      <dt class="unseen">Day</dt>
      <dd>${day ? dateText(day.date) : SKELETON}</dd>
    </div>
    ${pair(html`${BAR}Revenue, USD`, money(day?.gross_revenue))}
    ${before ? pair(html`<span class="key before"></span>Before`, money(before.gross_revenue)) : nothing}
    ${pair(html`${LINE}Calls`, count(day && callsOf(day)))} ${pair('Margin', money(day?.net_margin))}
    ${pair('Paid', count(day?.paid_calls))} ${pair('By credit', count(day?.credit_calls))}
    ${pair('Payers', count(day?.unique_payers))}
  </dl>`;
}

/** The same in one sentence. */
export function dayWords(day: Day, isToday: boolean): string {
  const { date, gross_revenue, net_margin, paid_calls, credit_calls, unique_payers } = day;
  return (
    `${dateText(date)}${isToday ? ', so far' : ''}: revenue ${moneyText(gross_revenue)} USD, ` +
    `margin ${moneyText(net_margin)} USD, ${countInWords(paid_calls)} paid calls, ` +
    `${countInWords(credit_calls)} credit calls, ${countInWords(unique_payers)} payers`
  );
}

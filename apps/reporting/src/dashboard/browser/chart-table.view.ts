import { html, type TemplateResult } from 'lit-html';
import type { Day } from './answers';
import type { View } from './page-state';
import { count, money } from './values.view';
import { dateText } from './times-text';

/** The numbers of the chart, for who would rather read them, or cannot see it. */
export function chartTable(days: readonly Day[]): TemplateResult {
  return html`<table>
    <caption class="unseen">
      Revenue and calls per UTC day, the latest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Day, UTC</th>
        <th scope="col" class="number">Revenue, USD</th>
        <th scope="col" class="number">Cost, USD</th>
        <th scope="col" class="number">Margin, USD</th>
        <th scope="col" class="number">Paid calls</th>
        <th scope="col" class="number">Credit calls</th>
        <th scope="col" class="number">Payers</th>
      </tr>
    </thead>
    <tbody>
      ${days.map((day, index) => row(day, index === days.length - 1)).reverse()}
    </tbody>
  </table>`;
}

function row(day: Day, isToday: boolean): TemplateResult {
  return html`<tr>
    <th scope="row">${dateText(day.date)}${isToday ? ', so far' : ''}</th>
    <td class="number">${money(day.gross_revenue)}</td>
    <td class="number">${money(day.attributed_cost)}</td>
    <td class="number">${money(day.net_margin)}</td>
    <td class="number">${count(day.paid_calls)}</td>
    <td class="number">${count(day.credit_calls)}</td>
    <td class="number">${count(day.unique_payers)}</td>
  </tr>`;
}

export const chartToolsView: View = ({ showsTable }, { toggleTable }) =>
  html`<button
    type="button"
    class="plain"
    aria-expanded=${showsTable}
    aria-controls="chart-table"
    @click=${() => toggleTable()}
  >
    ${showsTable ? 'Chart' : 'Table'}
  </button>`;

import { html, nothing, type TemplateResult } from 'lit-html';
import type { Cohort, CohortMonth, Cohorts } from './answers';
import { countInWords, countText, moneyText } from './numbers-text';
import type { Panel } from './page-state';
import { monthText } from './times-text';
import { count, money } from './values';

/** How dark a cell is, from 0 for nobody to 5. */
export function shadeOf({ active_wallets: active, retention_pct: percent }: CohortMonth): number {
  return active === 0 ? 0 : Math.min(5, 1 + Math.floor(percent / 20));
}

export const cohortsPanel: Panel = ({ answers: { cohorts: answer } }) => {
  if (!answer) return nothing;
  const cohorts = answer.cohorts.filter(({ wallets }) => wallets > 0);
  if (cohorts.length === 0) return html`<p class="none">Nobody paid for the first time in these months.</p>`;
  return html`
    <div class="heat" role="region" aria-label="Months after the first payment" tabindex="0">
      ${heatmap(cohorts, answer)}
    </div>
    <p class="muted">
      Per cent of the wallets of a month that paid again, so many months later. A dashed cell is of the present month,
      which is not over.
    </p>
  `;
};

function heatmap(cohorts: readonly Cohort[], { as_of }: Cohorts): TemplateResult {
  const ages = Array.from(
    { length: Math.max(...cohorts.map(({ months }) => months.length)) - 1 },
    (_, index) => index + 1,
  );
  return html`<table>
    <caption class="unseen">
      Wallets by the month of their first payment, and how many of them paid in later months
    </caption>
    <thead>
      <tr>
        <th scope="col">First paid</th>
        <th scope="col" class="number">Wallets</th>
        <th scope="col" class="number extra">Revenue, USD</th>
        ${ages.map((age) => html`<th scope="col" class="age"><span class="unseen">Per cent after months: </span>${age}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${cohorts.map(
        (cohort) =>
          html`<tr>
            <th scope="row">${monthText(cohort.month)}</th>
            <td class="number">${count(cohort.wallets)}</td>
            <td class="number extra">${money(cohort.gross_revenue)}</td>
            ${ages.map((age) => heatCell(cohort, cohort.months[age], as_of.slice(0, 7)))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function heatCell(cohort: Cohort, month: CohortMonth | undefined, present: string): TemplateResult {
  if (!month) return html`<td class="age"></td>`;
  const isSoFar = month.month === present;
  return html`<td
    class="age"
    data-shade=${shadeOf(month)}
    data-so-far=${isSoFar || nothing}
    title=${cellWords(cohort, month)}
  >
    ${countText(Math.round(month.retention_pct))}
  </td>`;
}

function cellWords({ wallets }: Cohort, { month, active_wallets, paid_calls, gross_revenue }: CohortMonth): string {
  return (
    `${monthText(month)}: ${countInWords(active_wallets)} of ${countInWords(wallets)} wallets, ` +
    `${countInWords(paid_calls)} calls, ${moneyText(gross_revenue)} USD`
  );
}

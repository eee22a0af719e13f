import { html, nothing } from 'lit-html';
import type { Cohort, CohortMonth, Cohorts } from './answers';
import type { Frame } from './frame';
import { type Column, named, numbers, table } from './table';
import { countInWords, countText, moneyText, monthText } from './text';
import { count, money } from './values';

export const cohorts: Frame = {
  name: 'cohorts',
  id: 'cohorts',
  title: 'Who comes back',
  content: ({ answers: { cohorts: answer } }) => {
    if (!answer) return nothing;
    const rows = answer.cohorts.filter(({ wallets }) => wallets > 0);
    if (rows.length === 0) return html`<p class="none">Nobody paid for the first time in these months.</p>`;
    return html`
      <div class="heat" role="region" aria-label="Months after the first payment" tabindex="0">
        ${table({
          caption: 'Wallets by the month of their first payment, and how many of them paid in later months',
          columns: columnsOf(rows, answer),
          rows,
        })}
      </div>
      <p class="muted">
        Per cent of the wallets of a month that paid again, so many months later. A dashed cell is of the present month,
        which is not over.
      </p>
    `;
  },
};

function columnsOf(rows: readonly Cohort[], { as_of: asOf }: Cohorts): Column<Cohort>[] {
  const most = Math.max(...rows.map(({ months }) => months.length));
  const ages = Array.from({ length: most - 1 }, (_, index) => index + 1);
  return [
    named('First paid', ({ month }) => monthText(month)),
    numbers('Wallets', ({ wallets }) => count(wallets)),
    numbers('Revenue, USD', (row) => money(row.gross_revenue), 'extra'),
    ...ages.map((age) => ({
      title: String(age),
      kind: 'age',
      head: html`<span class="unseen">Per cent after months: </span>${age}`,
      value: (cohort: Cohort) => heatMark(cohort, cohort.months[age], asOf.slice(0, 7)),
    })),
  ];
}

function heatMark(cohort: Cohort, month: CohortMonth | undefined, present: string): unknown {
  if (!month) return nothing;
  return html`<span
    class="shade"
    .style=${`--share: ${month.retention_pct}`}
    data-so-far=${month.month === present || nothing}
    title=${wordsOf(cohort, month)}
    >${countText(Math.round(month.retention_pct))}</span
  >`;
}

function wordsOf({ wallets }: Cohort, { month, active_wallets, paid_calls, gross_revenue }: CohortMonth): string {
  return (
    `${monthText(month)}: ${countInWords(active_wallets)} of ${countInWords(wallets)} wallets, ` +
    `${countInWords(paid_calls)} calls, ${moneyText(gross_revenue)} USD`
  );
}

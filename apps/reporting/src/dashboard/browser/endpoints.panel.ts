import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { EndpointRow, Endpoints } from './answers';
import type { Frame } from './frame';
import { paymentsWithin } from './points';
import { column, type Column, named, numbers, table } from './table';
import { ABSENT, changeOf, percentText, periodText } from './text';
import { changeMark, count, instant, money, settledLink } from './values';

const ROWS = 5;
const AGENT_SURFACE = '/agent/v1/';

export const endpoints: Frame = {
  name: 'endpoints',
  id: 'endpoints',
  title: 'Endpoints',
  tools: ({ answers }) => (answers.endpoints ? html`<p class="muted">${periodText(answers.endpoints)}</p>` : nothing),
  content: (state) => {
    const { endpoints: answer } = state.answers;
    const within = answer ? paymentsWithin(answer) : {};
    const columns: Column<EndpointRow>[] = [
      named('Endpoint', ({ endpoint }) => html`<span title=${endpoint}>${endpointName(endpoint)}</span>`),
      column('Share of revenue', 'share', ({ share_pct }) => share(share_pct)),
      numbers('Price, USD', ({ price }) => (price === null ? ABSENT : money(price))),
      numbers('Paid calls', ({ endpoint, paid_calls: paid }) => settledLink(paid, { endpoint, ...within }, state)),
      numbers('Credit calls', (row) => count(row.credit_calls)),
      numbers('Revenue, USD', (row) => html`${money(row.gross_revenue)}${change(row, answer!.previous)}`),
      numbers('Margin, USD', (row) => money(row.net_margin)),
      numbers('Last call, UTC', (row) => instant(row.last_call_at, answer!.as_of), 'wide'),
    ];
    return table({
      caption: 'What every endpoint brought in the period',
      kind: 'endpoints',
      id: 'endpoint-rows',
      columns,
      rows: answer?.endpoints ?? Array.from({ length: ROWS }, () => undefined),
    });
  },
};

export function endpointName(path: string): string {
  return path.replace(AGENT_SURFACE, '');
}

function share(percent: number): TemplateResult {
  return html`<span class="share-cell">
    <svg class="share-bar" aria-hidden="true">
      <rect class="track" width="100%" height="100%" rx="3" />
      ${svg`<rect class="bar" width="${percent}%" height="100%" rx="3" />`}
    </svg>
    <span>${percentText(percent)}</span>
  </span>`;
}

/** Of the complete days of the period, against as many before them. */
function change({ endpoint }: EndpointRow, previous: Endpoints['previous']): unknown {
  const [now, before] = [previous?.compared.endpoints, previous?.endpoints].map((rows) =>
    rows?.find((row) => row.endpoint === endpoint),
  );
  const one = now && before && changeOf(now.gross_revenue.usd, before.gross_revenue.usd);
  return one && one.direction !== 'none' ? html`<small class="change">${changeMark(one)}</small>` : nothing;
}

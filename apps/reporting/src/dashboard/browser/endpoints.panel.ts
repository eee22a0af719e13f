import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { EndpointRow } from './answers';
import { ABSENT, changeOf, paymentsInWords, percentText, periodText } from './figures.panel';
import type { Panel } from './page-state';
import { cell, count, instant, money, paymentsLink, SKELETON } from './values';

const ROWS = 5;
const AGENT_SURFACE = '/agent/v1/';

export const endpointsPeriodPanel: Panel = ({ answers: { endpoints } }) => (endpoints ? periodText(endpoints) : nothing);

export const endpointsPanel: Panel = (state, actions) => {
  const { endpoints } = state.answers;
  const paidCalls = ({ endpoint, paid_calls }: EndpointRow): TemplateResult =>
    paymentsLink(count(paid_calls), { filters: { endpoint } }, state, actions, paymentsInWords(paid_calls));
  const rows: (EndpointRow | undefined)[] = endpoints?.endpoints ?? Array<undefined>(ROWS).fill(undefined);
  const before = new Map(endpoints?.previous?.endpoints.map((row) => [row.endpoint, row]));
  return rows.map((row) =>
    endpointRow(row, row && before.get(row.endpoint), row ? paidCalls(row) : SKELETON, endpoints?.as_of),
  );
};

export function endpointName(path: string): string {
  return path.replace(AGENT_SURFACE, '');
}

function endpointRow(
  row: EndpointRow | undefined,
  before: EndpointRow | undefined,
  paidCalls: TemplateResult,
  now: string | undefined,
): TemplateResult {
  return html`<tr role="row">
    <th role="rowheader" scope="row" title=${row?.endpoint ?? nothing}>
      ${row ? endpointName(row.endpoint) : html`${SKELETON}<span class="unseen">Loading</span>`}
    </th>
    ${cell('Share of revenue', row ? share(row.share_pct) : SKELETON, 'share')}
    ${cell('Price, USD', row?.price === null ? ABSENT : money(row?.price), 'number')}
    ${cell('Paid calls', paidCalls, 'number')} ${cell('Credit calls', count(row?.credit_calls), 'number')}
    ${cell('Revenue, USD', html`${money(row?.gross_revenue)}${row && before ? change(row, before) : nothing}`, 'number')}
    ${cell('Margin, USD', money(row?.net_margin), 'number')}
    ${cell('Last call, UTC', instant(row?.last_call_at, now), 'number wide')}
  </tr>`;
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

function change(row: EndpointRow, before: EndpointRow): unknown {
  const { direction, text } = changeOf(row.gross_revenue.usd, before.gross_revenue.usd);
  if (direction === 'none') return nothing;
  return html`<small class="change"><span data-direction=${direction}>${text}</span></small>`;
}

import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { EndpointRow } from './answers';
import { ABSENT, changeOf, paymentsInWords, percentText } from './numbers-text';
import type { Panel } from './page-state';
import { paymentsWithin } from './points';
import { cell, count, instant, money, paymentsLink, SKELETON } from './values';
import { periodText } from './times-text';

const ROWS = 5;
const AGENT_SURFACE = '/agent/v1/';

export const endpointsPeriodPanel: Panel = ({ answers: { endpoints } }) =>
  endpoints ? periodText(endpoints) : nothing;

export const endpointsPanel: Panel = (state, actions) => {
  const { endpoints: answer } = state.answers;
  if (!answer) return Array.from({ length: ROWS }, () => endpointRow(undefined, SKELETON, nothing, undefined));
  const paidCalls = ({ endpoint, paid_calls: paid }: EndpointRow): TemplateResult => {
    const filters = { endpoint, ...paymentsWithin(answer) };
    return paymentsLink(count(paid), { status: 'settled', filters }, state, actions, paymentsInWords(paid));
  };
  const { previous } = answer;
  const now = rowsByPath(previous?.compared.endpoints);
  const before = rowsByPath(previous?.endpoints);
  return answer.endpoints.map((row) => {
    const sides = [now.get(row.endpoint), before.get(row.endpoint)] as const;
    return endpointRow(row, paidCalls(row), change(...sides), answer.as_of);
  });
};

function rowsByPath(rows: readonly EndpointRow[] = []): ReadonlyMap<string, EndpointRow> {
  return new Map(rows.map((row) => [row.endpoint, row]));
}

export function endpointName(path: string): string {
  return path.replace(AGENT_SURFACE, '');
}

function endpointRow(
  row: EndpointRow | undefined,
  paidCalls: TemplateResult,
  change: unknown,
  now: string | undefined,
): TemplateResult {
  return html`<tr role="row">
    <th role="rowheader" scope="row" title=${row?.endpoint ?? nothing}>
      ${row ? endpointName(row.endpoint) : html`${SKELETON}<span class="unseen">Loading</span>`}
    </th>
    ${cell('Share of revenue', row ? share(row.share_pct) : SKELETON, 'share')}
    ${cell('Price, USD', row?.price === null ? ABSENT : money(row?.price), 'number')}
    ${cell('Paid calls', paidCalls, 'number')} ${cell('Credit calls', count(row?.credit_calls), 'number')}
    ${cell('Revenue, USD', html`${money(row?.gross_revenue)}${change}`, 'number')}
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

/** Of the complete days of the period, against as many before them. */
function change(now: EndpointRow | undefined, before: EndpointRow | undefined): unknown {
  if (!now || !before) return nothing;
  const { direction, text } = changeOf(now.gross_revenue.usd, before.gross_revenue.usd);
  if (direction === 'none') return nothing;
  return html`<small class="change"><span data-direction=${direction}>${text}</span></small>`;
}

import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { refusalText } from './admin-api';
import type { Payment, Payments, PaymentStatus, Summary } from './answers';
import { endpointName } from './endpoints.panel';
import { dateText } from './times-text';
import { ABSENT, countText, periodText } from './figures.panel';
import { fileIcon, stateMark, address, cell, instant, money, SKELETON, shortHex, transactionPage } from './values';
import {
  type PageActions,
  type PageState,
  FILTERS,
  type PaymentFilters,
  STATUSES,
  type Panel,
  type PageSettings,
} from './page-state';

export const PAGE_ROWS = 25;

/** The limit of the API. */
const MOST_ROWS = 200;

export interface PaymentRows {
  rows: Payment[];
  nextCursor: string | null;
  asOf: string;
}

const STATUS_WORDS: Record<PaymentStatus, { word: string; mark: Parameters<typeof stateMark>[0] }> = {
  settled: { word: 'Settled', mark: 'good' },
  settlement_pending: { word: 'Waiting', mark: 'waiting' },
  needs_reconciliation: { word: 'Needs a person', mark: 'trouble' },
  settlement_failed: { word: 'Failed', mark: 'failed' },
};

export const paymentToolsPanel: Panel = ({ view, answers: { summary } }, actions) => html`
  <fieldset class="filter">
    <legend class="unseen">Status</legend>
    ${filter('all', 'All', undefined, view, actions)}
    ${STATUSES.map((status) => {
      const paymentCount = summary && countOf(status, summary.settlement);
      return filter(status, STATUS_WORDS[status].word, paymentCount, view, actions);
    })}
  </fieldset>
  <button type="button" class="plain" @click=${() => actions.saveFile()}>
    ${fileIcon}CSV<span class="unseen"> of the payments of the period</span>
  </button>
`;

function countOf(status: PaymentStatus, settlement: Summary['settlement']): number {
  const { settled, pending, needs_reconciliation, failed } = settlement;
  return { settled, settlement_pending: pending, needs_reconciliation, settlement_failed: failed }[status];
}

function filter(
  status: PageSettings['status'],
  word: string,
  paymentCount: number | undefined,
  view: PageSettings,
  { look }: PageActions,
): TemplateResult {
  return html`<label>
    <input type="radio" name="status" .checked=${view.status === status} @change=${() => look({ status })} />
    <span>${word}${paymentCount === undefined ? nothing : html` <small>${countText(paymentCount)}</small>`}</span>
  </label>`;
}

const FILTER_WORDS: Record<keyof PaymentFilters, (value: string) => string> = {
  q: (text) => text,
  endpoint: endpointName,
  wallet: shortHex,
  day: dateText,
  within: (days) => {
    const [from = '', to = ''] = days.split('/');
    return periodText({ from, to });
  },
};

/** The box to find a payment with, and what narrows the list. */
export const paymentFindPanel: Panel = ({ view }, { look }) => {
  const { filters } = view;
  const find = (event: SubmitEvent): void => {
    event.preventDefault();
    const q = (new FormData(event.target as HTMLFormElement).get('q') as string).trim();
    look({ filters: { ...filters, q } });
  };
  return html`
    <form role="search" @submit=${find}>
      <input
        type="search"
        name="q"
        aria-label="Find payments"
        placeholder="Id, nonce, transaction, wallet or request id"
        maxlength="200"
        autocomplete="off"
        spellcheck="false"
        .value=${filters.q ?? ''}
      />
      <button type="submit" class="plain">Find</button>
    </form>
    ${FILTERS.map((name) => {
      const value = filters[name];
      if (!value) return nothing;
      return html`<button type="button" class="plain" @click=${() => look({ filters: { ...filters, [name]: '' } })}>
        <span class="unseen">No longer only </span>${FILTER_WORDS[name](value)} <span aria-hidden="true">×</span>
      </button>`;
    })}
  `;
};

export const paymentsPanel: Panel = (state, actions) => {
  const { answers, sections } = state;
  if (!answers.payments || !sections.payments.isCurrent) return Array.from({ length: PAGE_ROWS }, () => SKELETON_ROW);
  const { rows, asOf } = answers.payments;
  if (rows.length === 0)
    return html`<tr role="row">
      <td role="cell" colspan="6" class="none">No payment of this kind.</td>
    </tr>`;
  return repeat(
    rows,
    ({ id }) => id,
    (row) => paymentRow(row, asOf, state, actions),
  );
};

const SKELETON_ROW = html`<tr role="row">
  ${['when', 'what', 'number', 'who', 'status', 'transaction'].map((kind) => cell('', SKELETON, kind))}
</tr>`;

function paymentRow(payment: Payment, now: string, state: PageState, actions: PageActions): TemplateResult {
  const { word, mark } = STATUS_WORDS[payment.status];
  return html`<tr role="row">
    ${cell('Time, UTC', instant(payment.verified_at, now, 'second'), 'when')}
    ${cell('Endpoint', html`<span title=${payment.endpoint}>${endpointName(payment.endpoint)}</span>`, 'what')}
    ${cell('Amount, USD', money(payment.amount), 'number')}
    ${cell('Payer', address(payment.payer, state, actions), 'who')}
    ${cell('Status', html`<span class="chip" data-status=${payment.status}>${stateMark(mark)}${word}</span>`, 'status')}
    ${cell('Transaction', transaction(payment), 'transaction')}
  </tr>`;
}

function transaction({ network, transaction_hash: hash }: Payment): unknown {
  if (hash === null) return ABSENT;
  const page = transactionPage(network, hash);
  if (page === undefined) return html`<span title=${hash}>${shortHex(hash)}</span>`;
  return html`<a href=${page} target="_blank" rel="noreferrer" title=${hash}
    ><span class="unseen">Block explorer: </span>${shortHex(hash)}</a
  >`;
}

export const paymentMorePanel: Panel = ({ answers, loadingMore, paymentsRefusal }, { loadMore }) => html`
  ${paymentsRefusal ? html`<p class="problem">Not loaded: ${refusalText(paymentsRefusal)}.</p>` : nothing}
  ${
    answers.payments?.nextCursor
      ? html`<button type="button" class="plain" ?disabled=${loadingMore} @click=${() => loadMore()}>
          ${loadingMore ? 'Loading …' : 'Load more'}
        </button>`
      : nothing
  }
`;

/** Number of rows for the next load, so that rows loaded on demand stay. */
export function rowsToRefresh(before: PaymentRows | undefined): number {
  return Math.min(Math.max(before?.rows.length ?? 0, PAGE_ROWS), MOST_ROWS);
}

/** New rows come in above; rows below the loaded page stay. */
export function refreshed(before: PaymentRows | undefined, page: Payments): PaymentRows {
  const { payments: rows, as_of: asOf, next_cursor: nextCursor } = page;
  const last = rows.at(-1);
  const below = last === undefined ? [] : (before?.rows.filter((row) => comesAfter(row, last)) ?? []);
  if (before === undefined || below.length === 0 || nextCursor === null) return { rows, nextCursor, asOf };
  return { rows: [...rows, ...below], nextCursor: before.nextCursor, asOf };
}

/** The next page below. */
export function extended(before: PaymentRows, page: Payments): PaymentRows {
  const known = new Set(before.rows.map(({ id }) => id));
  return {
    rows: [...before.rows, ...page.payments.filter(({ id }) => !known.has(id))],
    nextCursor: page.next_cursor,
    asOf: page.as_of,
  };
}

/** Newest first, ties by id descending, as the API sorts them. */
function comesAfter(row: Payment, other: Payment): boolean {
  if (row.verified_at !== other.verified_at) return row.verified_at < other.verified_at;
  return row.id < other.id;
}

/** Copied numbers are exact: the selection goes to the clipboard with all six decimals, cells separated by tabs. */
export function copyExact(event: ClipboardEvent, selection: Selection | null): void {
  if (!selection || selection.isCollapsed || !event.clipboardData) return;
  const range = selection.getRangeAt(0);
  const single = closestMoney(range.commonAncestorContainer);
  const text = single?.dataset['exact'] ?? exactText(range.cloneContents());
  if (text === undefined) return;
  event.clipboardData.setData('text/plain', text);
  event.preventDefault();
}

function closestMoney(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>('[data-exact]') ?? null;
}

/** @returns nothing where no money is among it: then the browser copies as ever */
function exactText(part: DocumentFragment): string | undefined {
  const amounts = part.querySelectorAll<HTMLElement>('[data-exact]');
  if (amounts.length === 0) return undefined;
  for (const amount of amounts) amount.textContent = amount.dataset['exact']!;
  const rows = [...part.querySelectorAll('tr')];
  if (rows.length === 0) return lineOf(part);
  return rows.map((row) => [...row.cells].map(lineOf).join('\t')).join('\n');
}

function lineOf(node: Node): string {
  return (node.textContent ?? '').replace(/\s+/g, ' ').trim();
}

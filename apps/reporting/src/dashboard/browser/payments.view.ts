import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { Payment, PaymentStatus, Summary } from './answers';
import { endpointName } from './endpoints.view';
import { ABSENT, countText } from './figures-text';
import { fileIcon, stateMark } from './icons';
import type { PageActions, PageState, View } from './page-state';
import { PAGE_ROWS } from './payment-rows';
import { refusalText } from './refusal';
import { address, cell, instant, money, SKELETON } from './values.view';
import { STATUSES, type ViewSettings } from './view-settings';
import { shortHex, transactionPage } from './wallets';

const STATUS_WORDS: Record<PaymentStatus, { word: string; mark: Parameters<typeof stateMark>[0] }> = {
  settled: { word: 'Settled', mark: 'good' },
  settlement_pending: { word: 'Waiting', mark: 'waiting' },
  needs_reconciliation: { word: 'Needs a person', mark: 'trouble' },
  settlement_failed: { word: 'Failed', mark: 'failed' },
};

export const paymentToolsView: View = ({ view, snapshot }, actions) => html`
  <fieldset class="filter">
    <legend class="unseen">Status</legend>
    ${filter('all', 'All', undefined, view, actions)}
    ${STATUSES.map((status) => {
      const paymentCount = snapshot && countOf(status, snapshot.summary.settlement);
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
  status: ViewSettings['status'],
  word: string,
  paymentCount: number | undefined,
  view: ViewSettings,
  { look }: PageActions,
): TemplateResult {
  return html`<label>
    <input type="radio" name="status" .checked=${view.status === status} @change=${() => look({ status })} />
    <span>${word}${paymentCount === undefined ? nothing : html` <small>${countText(paymentCount)}</small>`}</span>
  </label>`;
}

export const paymentsView: View = (state, actions) => {
  const { snapshot, view } = state;
  const rows = snapshot?.status === view.status ? snapshot.payments.rows : undefined;
  if (rows === undefined) return Array.from({ length: PAGE_ROWS }, () => SKELETON_ROW);
  if (rows.length === 0)
    return html`<tr role="row">
      <td role="cell" colspan="6" class="none">No payment of this kind.</td>
    </tr>`;
  return repeat(
    rows,
    ({ id }) => id,
    (row) => paymentRow(row, snapshot!.summary.as_of, state, actions),
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

export const paymentMoreView: View = ({ snapshot, loadingMore, paymentsRefusal }, { loadMore }) => html`
  ${paymentsRefusal ? html`<p class="problem">Not loaded: ${refusalText(paymentsRefusal)}.</p>` : nothing}
  ${
    snapshot?.payments.nextCursor
      ? html`<button type="button" class="plain" ?disabled=${loadingMore} @click=${() => loadMore()}>
          ${loadingMore ? 'Loading …' : 'Load more'}
        </button>`
      : nothing
  }
`;

import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import type { HealthFacts, Payment, PaymentGroup, PaymentStatus } from './answers';
import { endpointName } from './endpoints.panel';
import { dateText, periodText } from './times-text';
import { countText } from './numbers-text';
import { MOST_ROWS, PAGE_ROWS } from './payment-rows';
import { paymentDetails } from './payment-details.panel';
import { GROUP_WORDS, STATUS_WORDS } from './payment-words';
import { address, cell, instant, money, SKELETON, shortHex, stateMark, transactionLink } from './values';
import { type PageActions, type PageState, type Panel } from './page-state';
import { refusalText } from './refusals';
import { FILTER_FORMS, FILTERS, type PaymentFilters, STATUSES, type PageSettings, settingsFor } from './page-settings';

export const paymentToolsPanel: Panel = ({ view, health }, actions) => html`
  <fieldset class="filter">
    <legend class="unseen">Status</legend>
    ${filter('all', 'All', undefined, view, actions)}
    ${STATUSES.map((status) => {
      const paymentCount = health && countOf(status, health.settlement);
      return filter(status, STATUS_WORDS[status].word, paymentCount, view, actions);
    })}
  </fieldset>
`;

function countOf(status: PaymentStatus, settlement: HealthFacts['settlement']): number {
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
    <input type="radio" name="status" .checked=${view.status === status} @change=${() => look({ status, open: '' })} />
    <span>${word}${paymentCount === undefined ? nothing : html` <small>${countText(paymentCount)}</small>`}</span>
  </label>`;
}

const FILTER_WORDS: Record<keyof PaymentFilters, (value: string) => string> = {
  group: (group) => GROUP_WORDS[group as PaymentGroup],
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
    // A payment is found in whatever state and on whatever day it is; those of a wallet can be saved.
    const found: PaymentFilters = FILTER_FORMS.wallet.test(q) ? { wallet: q } : { q };
    look(settingsFor(view, q ? { filters: found } : { status: view.status, filters: { ...filters, q } }));
  };
  return html`
    <form role="search" @submit=${find}>
      <input
        type="search"
        name="q"
        aria-label="Find payments"
        placeholder="Id, nonce, transaction, wallet or request id, or its first 8 characters"
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
      return html`<button
        type="button"
        class="plain"
        @click=${() => look({ filters: { ...filters, [name]: '' }, open: '' })}
      >
        <span class="unseen">No longer only </span>${FILTER_WORDS[name](value)}${daysOf(name, view)}
        <span aria-hidden="true">×</span>
      </button>`;
    })}
  `;
};

/** By settlement they are other days. */
function daysOf(name: keyof PaymentFilters, { basis }: PageSettings): string {
  return basis === 'settlement' && (name === 'day' || name === 'within') ? ', by settlement' : '';
}

export const paymentsPanel: Panel = (state, actions) => {
  const { answers, sections, view } = state;
  if (!answers.payments || !sections.payments.isCurrent) return Array.from({ length: PAGE_ROWS }, () => SKELETON_ROW);
  const { rows, asOf } = answers.payments;
  // A link may be about a payment that is further down.
  const opened = sections.payment.isCurrent ? answers.payment : undefined;
  const all = opened && !rows.some(({ id }) => id === opened.id) ? [opened, ...rows] : rows;
  const isMissing = view.open !== '' && opened === null;
  return [
    isMissing ? message('No payment has this id, or its event has not arrived.') : nothing,
    rows.length === 0 ? message('No payment of this kind.') : nothing,
    repeat(
      all,
      ({ id }) => id,
      (row) => paymentRow(row, asOf, state, actions),
    ),
  ];
};

function message(text: string): TemplateResult {
  return html`<tr role="row">
    <td role="cell" colspan="6" class="none">${text}</td>
  </tr>`;
}

const SKELETON_ROW = html`<tr role="row">
  ${['when', 'what', 'number', 'who', 'status', 'transaction'].map((kind) => cell('', SKELETON, kind))}
</tr>`;

function paymentRow(payment: Payment, now: string, state: PageState, actions: PageActions): TemplateResult {
  const { word, mark } = STATUS_WORDS[payment.status];
  const isOpen = state.view.open === payment.id;
  const toggle = (): void => actions.look({ open: isOpen ? '' : payment.id });
  return html`<tr
      role="row"
      class=${isOpen ? 'opened' : 'opens'}
      @click=${(event: Event) => isBeside(event) && toggle()}
    >
      ${cell('Time, UTC', opener(instant(payment.verified_at, now, 'second'), isOpen, toggle), 'when')}
      ${cell('Endpoint', html`<span title=${payment.endpoint}>${endpointName(payment.endpoint)}</span>`, 'what')}
      ${cell('Amount, USD', money(payment.amount), 'number')}
      ${cell('Payer', address(payment.payer, state, actions), 'who')}
      ${cell(
        'Status',
        html`<span class="chip" data-status=${payment.status}>${stateMark(mark)}${word}</span>`,
        'status',
      )}
      ${cell('Transaction', transactionLink(payment.network, payment.transaction_hash), 'transaction')}
    </tr>
    ${isOpen ? paymentDetails(payment, state, actions) : nothing}`;
}

function opener(content: unknown, isOpen: boolean, toggle: () => void): TemplateResult {
  return html`<button type="button" class="opener" aria-expanded=${isOpen} @click=${toggle}>
    ${content}<span class="unseen">, details</span>
  </button>`;
}

/** A row opens wherever it is pressed, but for what has a use of its own, and for text that is being selected. */
function isBeside({ target }: Event): boolean {
  return (target as Element).closest('a, button') === null && (getSelection()?.isCollapsed ?? true);
}

export const paymentMorePanel: Panel = ({ answers: { payments }, loadingMore, paymentsRefusal }, { loadMore }) => html`
  ${paymentsRefusal ? html`<p class="problem">Not loaded: ${refusalText(paymentsRefusal)}.</p>` : nothing}
  ${payments?.nextCursor ? more(payments.rows.length, loadingMore, loadMore) : nothing}
`;

function more(shown: number, loading: boolean, loadMore: () => void): TemplateResult {
  if (shown >= MOST_ROWS) {
    return html`<p class="muted">
      The list ends after ${MOST_ROWS} rows. Older ones are found by their day, wallet or endpoint, and are in the CSV.
    </p>`;
  }
  return html`<button type="button" class="plain" ?disabled=${loading} @click=${() => loadMore()}>
    ${loading ? 'Loading …' : 'Load more'}
  </button>`;
}

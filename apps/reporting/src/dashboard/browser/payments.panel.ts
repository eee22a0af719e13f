import { html, nothing, type TemplateResult } from 'lit-html';
import type { HealthFacts, Payment, PaymentGroup, PaymentStory } from './answers';
import { endpointName } from './endpoints.panel';
import { filesPanel } from './files.panel';
import { choice, type Frame, more } from './frame';
import { MOST_ROWS, PAYMENTS } from './lists';
import type { PageState } from './page-state';
import { FILTERS, isWallet, type PageSettings, type PaymentFilters, settingsFor, STATUSES } from './settings';
import { column, type Column, numbers, table } from './table';
import { ABSENT, countText, dateText, durationText, elapsedMs, instantText, nameText, periodText } from './text';
import {
  command,
  copied,
  instant,
  money,
  pairs,
  shortHex,
  SKELETON,
  stateMark,
  STATUS_WORDS,
  transactionLink,
} from './values';

const GROUP_WORDS: Record<PaymentGroup, string> = {
  unresolved: 'Waiting or needing a person',
  settled_without_hash: 'Settled without a hash',
  served_and_failed: 'Served and failed',
};

export const payments: Frame = {
  name: 'payments',
  id: 'payments',
  title: 'Latest payments',
  tools: ({ view, health, act: { look } }) =>
    choice('Status', 'status', statusOptions(health?.settlement), view.status, (status) => look({ status, open: '' })),
  content: (state) => html`
    <div class="find-and-files">
      <div id="payment-find" class="find">${findForm(state)}</div>
      <div id="payment-files" class="files">${filesPanel(state)}</div>
    </div>
    ${paymentsTable(state)} ${more('payments', 'Load more', LIST_END, state)}
  `,
};

const LIST_END = `The list ends after ${MOST_ROWS} rows. Older ones are found by their day, wallet or endpoint, and are in the CSV.`;

function statusOptions(settlement: HealthFacts['settlement'] | undefined) {
  const { settled, pending, needs_reconciliation, failed } = settlement ?? {};
  const counts = { settled, settlement_pending: pending, needs_reconciliation, settlement_failed: failed };
  const options = STATUSES.map((status): [PageSettings['status'], unknown] => {
    const { [status]: number } = counts;
    const small = number === undefined ? nothing : html` <small>${countText(number)}</small>`;
    return [status, html`${STATUS_WORDS[status].word}${small}`];
  });
  return [['all', 'All'] as [PageSettings['status'], unknown], ...options];
}

const FILTER_WORDS: Record<keyof PaymentFilters, (value: string) => string> = {
  group: (group) => GROUP_WORDS[group as PaymentGroup],
  q: (text) => text,
  endpoint: endpointName,
  wallet: shortHex,
  day: dateText,
  within: (days) => periodText({ from: days.split('/')[0]!, to: days.split('/')[1]! }),
};

function findForm({ view, act: { look } }: PageState): TemplateResult {
  const { filters, basis } = view;
  const find = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement).get('q') as string;
    // What cannot be seen is no part of a name.
    const q = given.replace(/\p{C}/gu, '').trim();
    // A payment is found in whatever state and on whatever day it is; those of a wallet can be saved.
    const found: PaymentFilters = isWallet(q) ? { wallet: q } : { q };
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
      // By settlement they are other days.
      const days = basis === 'settlement' && (name === 'day' || name === 'within') ? ', by settlement' : '';
      const leave = (): void => look({ filters: { ...filters, [name]: '' }, open: '' });
      return html`<button type="button" class="plain" @click=${leave}>
        <span class="unseen">No longer only </span>${FILTER_WORDS[name](value)}${days}
        <span aria-hidden="true">×</span>
      </button>`;
    })}
  `;
}

function paymentsTable(state: PageState): TemplateResult {
  const { answers, sections, view } = state;
  const { payments: listed = [], as_of: asOf = '' } = (sections.payments.isCurrent && answers.payments) || {};
  const isLoaded = asOf !== '';
  // A link may be about a payment that is further down.
  const opened = sections.payment.isCurrent ? answers.payment : undefined;
  const rows = opened && !listed.some(({ id }) => id === opened.id) ? [opened, ...listed] : listed;
  const messages = [
    ...(view.open !== '' && opened === null ? ['No payment has this id, or its event has not arrived.'] : []),
    ...(listed.length === 0 ? ['No payment of this kind.'] : []),
  ];
  return table<Payment>({
    caption: 'Payments, newest first',
    kind: 'payments',
    id: 'payment-rows',
    columns: columnsOf(asOf, state),
    rows: isLoaded ? rows : Array.from({ length: PAYMENTS.first }, () => undefined),
    key: PAYMENTS.key,
    around: (payment, cells) => paymentRow(payment, cells, state),
    messages: isLoaded ? messages : [],
  });
}

function columnsOf(asOf: string, state: PageState): Column<Payment>[] {
  return [
    column('Time, UTC', 'when', (payment) => {
      const isOpen = state.view.open === payment.id;
      const at = html`${instant(payment.verified_at, asOf, 'second')}<span class="unseen">, details</span>`;
      const press = (): void => toggle(payment, state);
      return html`<button type="button" class="opener" aria-expanded=${isOpen} @click=${press}>${at}</button>`;
    }),
    column('Endpoint', 'what', ({ endpoint }) => html`<span title=${endpoint}>${endpointName(endpoint)}</span>`),
    numbers('Amount, USD', ({ amount }) => money(amount)),
    column('Payer', 'who', ({ payer }) => copied(payer, state, true)),
    column('Status', 'status', ({ status }) => {
      const { mark, word } = STATUS_WORDS[status];
      return html`<span class="chip" data-status=${status}>${stateMark(mark)}${word}</span>`;
    }),
    column('Transaction', 'transaction', ({ network, transaction_hash: hash }) => transactionLink(network, hash)),
  ];
}

function toggle({ id }: Payment, { view, act }: PageState): void {
  act.look({ open: view.open === id ? '' : id });
}

function paymentRow(payment: Payment, cells: TemplateResult[], state: PageState) {
  const isOpen = state.view.open === payment.id;
  // A row opens wherever it is pressed, but for what has a use of its own, and for text that is being selected.
  const press = ({ target }: Event): void => {
    const isBeside = (target as Element).closest('a, button') === null && (getSelection()?.isCollapsed ?? true);
    if (isBeside) toggle(payment, state);
  };
  return html`<tr role="row" class=${isOpen ? 'opened' : 'opens'} @click=${press}>
      ${cells}
    </tr>
    ${isOpen ? paymentDetails(payment, state) : nothing}`;
}

const UNCERTAIN: ReadonlySet<Payment['status']> = new Set(['settlement_pending', 'needs_reconciliation']);
/** In the place of the hash, which the page does not know; the command takes no such word. */
const HASH = 'TRANSACTION_HASH';

function paymentDetails(payment: Payment, state: PageState): TemplateResult {
  const { answers, sections } = state;
  const story = sections.payment.isCurrent && answers.payment?.id === payment.id ? answers.payment : undefined;
  const known = (value: (story: PaymentStory) => unknown): unknown => (story ? (value(story) ?? ABSENT) : SKELETON);
  const copy = (text: string): TemplateResult => copied(text, state);
  const hash = payment.transaction_hash;
  return html`<tr role="row" class="details">
    <td role="cell" colspan="6">
      ${pairs(
        [
          ['Id', copy(payment.id)],
          ['Nonce', known(({ nonce }) => (nonce === null ? 'not known' : copy(nonce)))],
          ['Request id', copy(payment.request_id)],
          ['Payer', copy(payment.payer)],
          ['Transaction', hash ? copy(hash) : ABSENT],
          ['Age', ageText(payment, answers.payments?.as_of ?? story?.as_of)],
          ['Served', known(servedText)],
          ['Reason', known(({ reason }) => reason)],
          ['Cost, USD', money(story?.attributed_cost)],
          ['Rebate, USD', money(payment.rebate_accrued)],
          ['Tier', known(({ tier }) => tier && nameText(tier))],
          story?.credit_issued ? ['Credit issued, USD', money(story.credit_issued.face_value)] : nothing,
        ],
        'facts',
      )}
      <ol class="story" aria-label="What became of it">
        ${story ? story.story.map((step) => stepOf(step, story)) : html`<li>${SKELETON}</li>`}
      </ol>
      ${story && UNCERTAIN.has(story.status) ? closing(story, state) : nothing}
    </td>
  </tr>`;
}

function ageText({ verified_at: at }: Payment, now: string | undefined): unknown {
  return now === undefined ? SKELETON : html`${durationText(elapsedMs(at, now))} <small>since ${at}</small>`;
}

function servedText({ served }: PaymentStory): string {
  if (served === null) return 'not known';
  return served ? 'yes, the buyer has the result' : 'no';
}

function stepOf({ at, state, transaction_hash: hash, reason }: PaymentStory['story'][number], story: PaymentStory) {
  return html`<li>
    <time datetime=${at} title=${at}>${instantText(at, story.as_of, 'second')}</time>
    <strong>${state === 'verified' ? 'Verified' : STATUS_WORDS[state].word}</strong>
    ${reason ? html`<span>${reason}</span>` : nothing} ${hash ? transactionLink(story.network, hash) : nothing}
  </li>`;
}

/** The command to type where the gateway runs: the page changes nothing. */
function closing(story: PaymentStory, state: PageState): TemplateResult {
  const { payer, nonce, transaction_hash: hash } = story;
  if (nonce === null)
    return html`<p class="muted">Its nonce is not known here: <code>npm run reconcile</code> names it.</p>`;
  const closed = (outcome: string): string => `npm run payment:close -- ${payer} ${nonce} ${outcome}`;
  return html`<div class="closing">
    <p>To close it, where the gateway runs. If the money came, with its transaction:</p>
    ${command(closed(hash ?? HASH), state)}
    <p>If it never will:</p>
    ${command(closed('failed'), state)}
  </div>`;
}

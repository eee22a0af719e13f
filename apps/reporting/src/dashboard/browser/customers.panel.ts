import { html, nothing, type TemplateResult } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { fileSaving } from './files.panel';
import type { Customer, Customers, CustomerSort } from './answers';
import { MOST_CUSTOMERS, nextCustomers } from './customer-rows';
import { changeOf, countText, paymentsInWords } from './numbers-text';
import type { Panel, PageActions, PageState } from './page-state';
import { paymentsWithin } from './points';
import { stackedBar } from './stacked-bar';
import { instantText, periodText } from './times-text';
import { count, money, address, cell, instant, paymentsLink, SKELETON } from './values';
import { refusalText } from './refusals';
import { CUSTOMER_SORTS, sortOf } from './page-settings';

const ROWS = 10;

const SORT_WORDS: Record<CustomerSort, string> = {
  lifetime_spend: 'Lifetime spend',
  window_spend: 'Spend in the period',
  paid_calls: 'Paid calls',
  last_payment: 'Last payment',
  window_fall: 'Fall since before',
};

interface Column {
  label: string;
  kind: string;
  sort?: CustomerSort;
}

const COLUMNS = [
  { label: 'Rank', kind: 'number rank' },
  { label: 'Wallet', kind: 'who' },
  { label: 'Tier', kind: 'tier' },
  { label: 'In period, USD', kind: 'number spend', sort: 'window_spend' },
  { label: 'Calls in it', kind: 'number' },
  { label: 'Lifetime, USD', kind: 'number', sort: 'lifetime_spend' },
  { label: 'Paid calls', kind: 'number', sort: 'paid_calls' },
  { label: 'Credit calls', kind: 'number extra' },
  { label: 'First payment, UTC', kind: 'number extra' },
  { label: 'Last payment, UTC', kind: 'number wide', sort: 'last_payment' },
] as const satisfies readonly Column[];

export const customersPeriodPanel: Panel = ({ answers: { customers } }) =>
  customers?.window ? `Who paid: ${periodText(customers.window)}` : nothing;

/** The file, and the order: some orders have no column, and the rows of narrow screens have no head. */
export const customerToolsPanel: Panel = (state, actions) => {
  const { view, answers } = state;
  const { look } = actions;
  const days = answers.customers?.window;
  const file = { word: 'Customers', title: days ? `Customers, ${periodText(days)}` : '' };
  return html`${days ? fileSaving('customers', file, state, actions) : nothing}
    <label class="sort-by">
      Sort by
      <select @change=${(event: Event) => look({ sort: addressed((event.target as HTMLSelectElement).value) })}>
        ${CUSTOMER_SORTS.filter((sort) => view.compare || sort !== 'window_fall').map(
          (sort) => html`<option value=${sort} ?selected=${sort === sortOf(view)}>${SORT_WORDS[sort]}</option>`,
        )}
      </select>
    </label>`;
};

/** The order that nobody has to choose is not in the address. */
function addressed(sort: string): string {
  return sort === CUSTOMER_SORTS[0] ? '' : sort;
}

export const customerHeadPanel: Panel = ({ view }, { look }) => {
  const sorted = sortOf(view);
  return COLUMNS.map((column: Column) => {
    const { label, kind, sort } = column;
    if (!sort) return html`<th role="columnheader" scope="col" class=${kind}>${label}</th>`;
    const isSorted = sort === sorted;
    return html`<th role="columnheader" scope="col" class=${kind} aria-sort=${isSorted ? 'descending' : nothing}>
      <button type="button" class="sort" @click=${() => look({ sort: addressed(sort) })}>
        ${label}<span class="arrow" aria-hidden="true">${isSorted ? '↓' : ''}</span></button
      ><span class="name">${label}</span>
    </th>`;
  });
};

export const customersPanel: Panel = (state, actions) => {
  const { customers: answer } = state.answers;
  if (!answer) return Array.from({ length: ROWS }, () => SKELETON_ROW);
  if (answer.customers.length === 0) {
    return html`<tr role="row">
      <td role="cell" colspan=${COLUMNS.length} class="none">Nobody paid in this period.</td>
    </tr>`;
  }
  return repeat(
    answer.customers,
    ({ wallet }) => wallet,
    (customer) => customerRow(customer, answer, state, actions),
  );
};

const SKELETON_ROW = html`<tr role="row">
  ${COLUMNS.map(({ kind }) => cell('', SKELETON, kind))}
</tr>`;

function customerRow(customer: Customer, answer: Customers, state: PageState, actions: PageActions): TemplateResult {
  const { wallet, paid_calls: paid, window: own } = customer;
  const led = (calls: number, within = {}): TemplateResult =>
    paymentsLink(
      count(calls),
      { status: 'settled', filters: { wallet, ...within } },
      state,
      actions,
      paymentsInWords(calls),
    );
  const contents = [
    count(customer.rank),
    address(wallet, state, actions),
    tierName(customer.tier),
    html`${money(own?.spend)}${change(customer)}`,
    own && answer.window ? led(own.paid_calls, paymentsWithin(answer.window)) : nothing,
    money(customer.lifetime_spend),
    led(paid),
    count(customer.credit_calls),
    day(customer.first_payment_at, answer.as_of),
    instant(customer.last_payment_at, answer.as_of),
  ];
  return html`<tr role="row">
    ${COLUMNS.map(({ label, kind }, index) => cell(label, contents[index], kind))}
  </tr>`;
}

function day(at: string, now: string): TemplateResult {
  return html`<time datetime=${at} title=${at}>${instantText(at, now, 'day')}</time>`;
}

/** Of the complete days of the period, against as many before them. */
function change({ change: sides }: Customer): unknown {
  if (!sides) return nothing;
  const { compared, before } = sides;
  if (before.paid_calls === 0) {
    return compared.paid_calls === 0
      ? nothing
      : html`<small class="change"><span data-direction="none">none before</span></small>`;
  }
  const { direction, text } = changeOf(compared.spend.usd, before.spend.usd);
  return html`<small class="change"><span data-direction=${direction}>${text}</span></small>`;
}

export const customersMorePanel: Panel = (state, { loadMoreCustomers }) => {
  const { answers, loadingCustomers, customersRefusal } = state;
  const isFull = (answers.customers?.customers.length ?? 0) >= MOST_CUSTOMERS;
  return html`
    ${customersRefusal ? html`<p class="problem">Not loaded: ${refusalText(customersRefusal)}.</p>` : nothing}
    ${
      nextCustomers(answers.customers) === undefined
        ? nothing
        : html`<button type="button" class="plain" ?disabled=${loadingCustomers} @click=${() => loadMoreCustomers()}>
            ${loadingCustomers ? 'Loading …' : 'More customers'}
          </button>`
    }
    ${isFull ? html`<p class="muted">The first ${MOST_CUSTOMERS} of this order.</p>` : nothing}
  `;
};

/** `tier_1` as text. */
function tierName(tier: string): string {
  const name = tier.replace('_', ' ');
  return name[0]!.toUpperCase() + name.slice(1);
}

/** Wallets that have ever paid, by tier. */
export const tiersPanel: Panel = ({ answers }) => {
  const tiers = answers.customers?.tier_distribution ?? [];
  const { bar, keys } = stackedBar(
    tiers.map(({ tier, wallets }) => ({ name: tier, word: tierName(tier), size: wallets, value: countText(wallets) })),
  );
  return html`<h3>Wallets by tier, all time</h3>
    ${bar}
    <ul class="keys">
      ${keys}
    </ul>`;
};
